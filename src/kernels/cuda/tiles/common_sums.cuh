// Counts of rows of tiles become where their parts begin, in one kernel of few blocks: each begins with the sums that the
// blocks of the counting kernel before its part have left.
#pragma once

#include "kernels/cuda/tiles/common_staged.cuh"

namespace nz::kernels::cuda {

constexpr unsigned scan_block = 1024, most_scan_blocks = 128;

/// What a block adds up: `part` rows of tiles; the counting kernel had so many blocks, of so many rows of tiles each.
struct scan_shape {
    unsigned count_blocks;
    index_t count_rows, part;

    unsigned blocks(index_t tile_rows) const {
        return std::max(1u, (static_cast<unsigned>(tile_rows) + part - 1) / static_cast<unsigned>(part));
    }
};

inline scan_shape scan_shape_of(index_t tile_rows, const staged_shape& counted) {
    const unsigned turns = std::max(1u, (static_cast<unsigned>(tile_rows) + scan_block - 1) / scan_block),
                   turns_a_block = (turns + most_scan_blocks - 1) / most_scan_blocks;
    return {staged_blocks(tile_rows, counted), static_cast<index_t>(staged_warps) * counted.tile_rows,
            static_cast<index_t>(turns_a_block * scan_block)};
}

template <class T>
__device__ T warp_sum(T x) {
    if constexpr (sizeof(T) == 4) {
        return __reduce_add_sync(full_warp, x);
    } else {
        for (unsigned distance = 1; distance < 32; distance *= 2)
            x += __shfl_xor_sync(full_warp, x, distance);
        return x;
    }
}
template <class T>
__device__ T warp_sum_up_to(T x) {
    if constexpr (sizeof(T) == 4) {
        return static_cast<T>(sum_up_to<32>(static_cast<int>(x)));
    } else {
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            const T other = __shfl_up_sync(full_warp, x, distance);
            if (threadIdx.x % 32 >= distance) x += other;
        }
        return x;
    }
}

/// The block's part of counts[tile_rows + 1].
template <class T>
__device__ void scan_part(T* counts, const T* of_blocks, index_t tile_rows, const scan_shape& shape) {
    __shared__ T sums[scan_block / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const index_t first = static_cast<index_t>(blockIdx.x) * shape.part,
                  end = first + min(tile_rows - first, shape.part);
    T before = 0;
    for (unsigned k = threadIdx.x; k < static_cast<unsigned>(first / shape.count_rows); k += scan_block)
        before += of_blocks[k];
    before = warp_sum(before);
    if (lane == 0) sums[warp] = before;
    __syncthreads();
    before = warp_sum(sums[lane]);
    for (index_t turn = first; turn < end; turn += scan_block) {
        const index_t i = turn + static_cast<index_t>(threadIdx.x);
        const T own = i < end ? counts[i] : 0, up_to = warp_sum_up_to(own);
        __syncthreads();
        if (lane == 31) sums[warp] = up_to;
        __syncthreads();
        const T of_warp = sums[lane], earlier = warp_sum(lane < warp ? of_warp : T{0});
        if (i < end) counts[i] = before + earlier + up_to - own;
        before += warp_sum(of_warp);
    }
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) counts[tile_rows] = before;
}

}  // namespace nz::kernels::cuda
