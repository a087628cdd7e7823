// How wide the vector registers are that this build may use.
#pragma once

namespace nz {

#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

}  // namespace nz
