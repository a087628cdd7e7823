// What finding a band and filling by diagonals share; the essay of mxm/dia_dia stands in dia_dia.cuh.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"
#include "plan/mxm_band_workspace.hpp"

namespace nz::kernels::cuda {

/// Whether B is A itself, so that its rows need no marks of their own.
inline bool is_square(const device_mxm_arguments& k) {
    return k.rows == k.inner && k.a.columns == k.b.columns && k.a.offsets.data == k.b.offsets.data;
}
inline plan::mxm_band_parts band_parts_of(const device_mxm_arguments& k) {
    plan::mxm_band_parts parts(k.band_parts, k.rows, k.inner);
    if (is_square(k)) parts.b_rows = parts.a_rows;
    return parts;
}

/// How many lanes go through a row of `count` values side by side: a power of two, up to a warp.
class row_lanes {
public:
    explicit row_lanes(int count) : count_(count) {
        while (log_ < 5 && 1 << log_ < count) ++log_;
    }
    __device__ int count() const { return count_; }
    __device__ int lane() const { return static_cast<int>(threadIdx.x) & ((1 << log_) - 1); }
    __device__ int lanes() const { return 1 << log_; }
    /// The block's rows at a time, and which of them this lane's is.
    __device__ int rows() const { return static_cast<int>(blockDim.x) >> log_; }
    __device__ int row() const { return static_cast<int>(threadIdx.x) >> log_; }

private:
    int count_, log_ = 0;
};

}  // namespace nz::kernels::cuda
