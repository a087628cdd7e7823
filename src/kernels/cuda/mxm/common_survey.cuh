// How the survey, the pairs and the bins of mxm/hash come by rows, long ones by all threads of a block.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

inline constexpr int survey_block = 256;

/// Rows that all threads of a block go through together, and what comes of it.
struct long_rows {
    index_t rows[survey_block];
    unsigned long long sums[2];
    int count;
};

/// Row n of the block in its turn, of Rows a turn: neighbours lie together by few, so that long rows that do have many blocks.
template <int Rows>
__device__ offset_t scattered_row(offset_t turn, int n) {
    constexpr int together = Rows < 16 ? Rows : 16;
    return ((turn * (Rows / together) + n / together) * gridDim.x + blockIdx.x) * together + n % together;
}

/// Keeps a row for all threads of the block, where there is room yet; returns whether there was.
__device__ inline bool keep_for_block(long_rows& m, index_t row) {
    const int at = atomicAdd(&m.count, 1);
    if (at < survey_block) m.rows[at] = row;
    return at < survey_block;
}

/// Calls all(row) by all threads for each row that was kept.
template <class All>
__device__ void for_kept_rows(long_rows& m, All&& all) {
    __syncthreads();
    const int kept = min(m.count, survey_block);
    for (int n = 0; n < kept; ++n) all(m.rows[n]);
}

/// Adds two numbers of each thread of the block, a warp's at once.
template <class Y>
__device__ void add_by_warps(unsigned long long x, Y y, unsigned long long* x_sum, Y* y_sum) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        x += __shfl_xor_sync(full_warp, x, distance);
        y += __shfl_xor_sync(full_warp, y, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(x_sum, x);
        atomicAdd(y_sum, y);
    }
}

/// The sum over the block of two numbers of each thread, which thread 0 has in m.sums.
__device__ inline void add_up(long_rows& m, unsigned long long x, unsigned long long y) {
    if (threadIdx.x == 0) m.sums[0] = m.sums[1] = 0;  // which alone reads them
    __syncthreads();
    add_by_warps(x, y, m.sums, m.sums + 1);
    __syncthreads();
}

}  // namespace nz::kernels::cuda
