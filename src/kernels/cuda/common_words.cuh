// Words of 32 and 64 bits by one name.
#pragma once

#include "kernels/cuda/common_grid.cuh"

namespace nz::kernels::cuda {

__device__ inline int bits_in(std::uint32_t x) { return __popc(x); }
__device__ inline int bits_in(std::uint64_t x) { return __popcll(x); }
__device__ inline int lowest(std::uint32_t x) { return __ffs(static_cast<int>(x)) - 1; }
__device__ inline int lowest(std::uint64_t x) { return __ffsll(static_cast<long long>(x)) - 1; }

/// The words of a warp's lanes, united.
template <class Word>
__device__ Word warp_or(Word x) {
    const std::uint32_t low = __reduce_or_sync(full_warp, static_cast<std::uint32_t>(x));
    if constexpr (sizeof(Word) == 4)
        return low;
    else
        return Word{__reduce_or_sync(full_warp, static_cast<std::uint32_t>(x >> 32))} << 32 | low;
}

}  // namespace nz::kernels::cuda
