// Tiles of keys of mxm/two_level_sort, sorted in shared memory; and sequences that are worked out place by place.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace nz::kernels::cuda {

using plan::sort_tile, plan::sort_tile_bits;

template <class F>
auto counted(F f) {
    return thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0), f);
}

template <class Key>
using tile_sort = cub::BlockRadixSort<Key, sort_block, sort_each>;

/// A tile's keys in shared memory: row and column above the number, in 32 bits where these hold all, else in 64.
union tile_keys {
    std::uint32_t keys[sort_tile];
    std::uint64_t wide_keys[sort_tile];
    tile_sort<std::uint32_t>::TempStorage sort;
    tile_sort<std::uint64_t>::TempStorage wide_sort;

    template <class Key>
    __device__ Key* staged() {
        if constexpr (sizeof(Key) == 4)
            return keys;
        else
            return wide_keys;
    }
    template <class Key>
    __device__ auto& sorting() {
        if constexpr (sizeof(Key) == 4)
            return sort;
        else
            return wide_sort;
    }
};

/// Columns of a tile, less the least, and how many bits tell them apart.
struct key_columns {
    unsigned low;
    int bits;
};
__device__ inline int bit_width(unsigned x) { return 32 - __clz(static_cast<int>(x)); }

/// Keys of row, counted from the tile's first, column and number, sorted by `bits` of the first two. All have read what else lies in `m`.
template <class Key>
__device__ Key* sort_keys(tile_keys& m, int count, const key_columns& columns, int bits,
                          const int (&row)[sort_each], const unsigned (&column)[sort_each]) {
    const int t = static_cast<int>(threadIdx.x);
    Key* const keys = m.staged<Key>();
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        const Key place = static_cast<Key>(row[r]) << columns.bits | (column[r] - columns.low);
        keys[n] = n < count ? place << sort_tile_bits | static_cast<Key>(n) : ~Key{0};
    }
    __syncthreads();
    Key mine[sort_each];
#pragma unroll
    for (int i = 0; i < sort_each; ++i) mine[i] = keys[t * sort_each + i];
    __syncthreads();
    tile_sort<Key>(m.sorting<Key>()).Sort(mine, sort_tile_bits, sort_tile_bits + max(bits, 1));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < sort_each; ++i) keys[t * sort_each + i] = mine[i];
    __syncthreads();
    return keys;
}

/// The range of the columns that a block's threads have, `low` and `high` of all bits set and none before.
__device__ inline key_columns columns_of_keys(unsigned low, unsigned high, unsigned& all_low,
                                              unsigned& all_high) {
    low = __reduce_min_sync(full_warp, low);
    high = __reduce_max_sync(full_warp, high);
    if (threadIdx.x % 32 == 0) {
        atomicMin(&all_low, low);
        atomicMax(&all_high, high);
    }
    __syncthreads();
    return {all_low, bit_width(all_high - all_low)};
}

}  // namespace nz::kernels::cuda
