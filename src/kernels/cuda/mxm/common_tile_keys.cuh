// Tiles of keys of mxm/two_level_sort, sorted in shared memory; and sequences that are worked out place by place.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"

#include <cub/block/block_radix_rank.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace nz::kernels::cuda {

using plan::sort_tile, plan::sort_tile_bits;

template <class F>
auto counted(F f) {
    return thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0), f);
}

/// Bits of a key that one pass of a tile's sort goes by: few_bits where these need no more passes (a seventh less time a pass).
inline constexpr int pass_bits = 7, few_pass_bits = 6;
template <int Bits>
using tile_ranks = cub::BlockRadixRankMatch<sort_block, Bits, false>;

/// A tile's keys in shared memory: row and column above the number, in 32 bits where these hold all, else in 64.
struct tile_keys {
    union {
        std::uint32_t keys[sort_tile];
        std::uint64_t wide_keys[sort_tile];
    };
    union {
        tile_ranks<pass_bits>::TempStorage ranks;
        tile_ranks<few_pass_bits>::TempStorage few_ranks;
    };

    template <class Key>
    __device__ Key* staged() {
        if constexpr (sizeof(Key) == 4)
            return keys;
        else
            return wide_keys;
    }
};

/// Columns of a tile, less the least, and how many bits tell them apart.
struct key_columns {
    unsigned low;
    int bits;

    template <class Key>
    __device__ index_t of(Key key) const {
        return static_cast<index_t>(low +
                                    static_cast<unsigned>(key >> sort_tile_bits & ((Key{1} << bits) - 1)));
    }
};
__device__ inline int bit_width(unsigned x) { return 32 - __clz(static_cast<int>(x)); }

/// Sorts keys by their bits from sort_tile_bits up to `end`, Bits at a time from the least on: a pass puts each key after those that have
/// less there, and after those before it that have as much.
template <int Bits, class Key>
__device__ void sort_by(typename tile_ranks<Bits>::TempStorage& memory, int end, Key (&mine)[sort_each],
                        Key* keys) {
    for (int at = sort_tile_bits;; at += Bits) {
        int rank[sort_each];
        tile_ranks<Bits>(memory).RankKeys(mine, rank, cub::BFEDigitExtractor<Key>(at, min(Bits, end - at)));
#pragma unroll
        for (int r = 0; r < sort_each; ++r) keys[rank[r]] = mine[r];
        __syncthreads();
        if (at + Bits >= end) return;
#pragma unroll
        for (int r = 0; r < sort_each; ++r) mine[r] = keys[number_in_tile(r)];
    }
}

/// Keys of row, counted from the tile's first, column and number, sorted by `bits` of the first two. All have read what else lies in `m`.
template <class Key>
__device__ Key* sort_keys(tile_keys& m, int count, const key_columns& columns, int bits,
                          const int (&row)[sort_each], const unsigned (&column)[sort_each]) {
    Key* const keys = m.staged<Key>();
    Key mine[sort_each];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        const Key place = static_cast<Key>(row[r]) << columns.bits | (column[r] - columns.low);
        mine[r] = n < count ? place << sort_tile_bits | static_cast<Key>(n) : ~Key{0};
    }
    bits = max(bits, 1);
    if ((bits + few_pass_bits - 1) / few_pass_bits == (bits + pass_bits - 1) / pass_bits)
        sort_by<few_pass_bits>(m.few_ranks, sort_tile_bits + bits, mine, keys);
    else
        sort_by<pass_bits>(m.ranks, sort_tile_bits + bits, mine, keys);
    return keys;
}

/// A key's number in its tile.
template <class Key>
__device__ int number_of(Key key) {
    return static_cast<int>(key & ((Key{1} << sort_tile_bits) - 1));
}
/// Of sorted keys the first of each row and column, 32 a word.
template <class Key>
__device__ void mark_firsts(const Key* keys, int count, unsigned (&firsts)[sort_each]) {
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        const bool differs = keys[n] >> sort_tile_bits != keys[max(n - 1, 0)] >> sort_tile_bits;
        firsts[r] = __ballot_sync(full_warp, n < count && (differs || n == 0));
    }
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
