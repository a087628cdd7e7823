// Values of a warp's lanes for one another, of any size up to 8 bytes.
#pragma once

#include "kernels/cuda/common_grid.cuh"

namespace nz::kernels::cuda {

/// The value of a lane, of the one so far above, of the one so far below.
template <class T>
__device__ T from_lane(T x, int lane, int width = 32) {
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(__shfl_sync(full_warp, static_cast<int>(x), lane, width));
    else
        return __shfl_sync(full_warp, x, lane, width);
}
template <class T>
__device__ T from_above(T x, int distance, int width) {
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(__shfl_down_sync(full_warp, static_cast<int>(x), distance, width));
    else
        return __shfl_down_sync(full_warp, x, distance, width);
}
template <class T>
__device__ T from_below(T x, int distance) {
    if constexpr (sizeof(T) < 4)
        return static_cast<T>(__shfl_up_sync(full_warp, static_cast<int>(x), distance));
    else
        return __shfl_up_sync(full_warp, x, distance);
}

}  // namespace nz::kernels::cuda
