// Words of 32 and 64 bits by one name.
#pragma once

#include <cstdint>

namespace nz::kernels::cuda {

__device__ inline int bits_in(std::uint32_t x) { return __popc(x); }
__device__ inline int bits_in(std::uint64_t x) { return __popcll(x); }
__device__ inline int lowest(std::uint32_t x) { return __ffs(static_cast<int>(x)) - 1; }
__device__ inline int lowest(std::uint64_t x) { return __ffsll(static_cast<long long>(x)) - 1; }

}  // namespace nz::kernels::cuda
