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

/// A set of numbers below `capacity` as bits in shared memory, which tells how many of it lie before one.
class bit_ranks {
    // Of 128 bits that a thread counts: an odd number, so that lanes read different banks.
    static constexpr int quads = 9;
    static constexpr unsigned thread_bits = 128 * quads;

public:
    static constexpr unsigned capacity = sort_block * thread_bits;

    /// The set becomes the numbers of the block's first `count` products or places, all of them below `end`; returns how many it
    /// has. `warp_totals`: [sort_warps].
    __device__ int mark(int count, unsigned end, const unsigned (&number)[sort_each], int* warp_totals) {
        const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
        const int threads = static_cast<int>((end + thread_bits - 1) / thread_bits);
        for (int i = t; i < threads * quads; i += sort_block) bits_[i] = {};
        __syncthreads();
#pragma unroll
        for (int r = 0; r < sort_each; ++r)
            if (number_in_tile(r) < count)
                atomicOr(reinterpret_cast<unsigned*>(bits_) + number[r] / 32, 1u << number[r] % 32);
        __syncthreads();
        int own = 0;
        if (t < threads)
            for (int i = t * quads; i < (t + 1) * quads; ++i) {
                const uint4 q = bits_[i];
                const int half = own + __popc(q.x) + __popc(q.y);
                before_[i] = {static_cast<std::uint16_t>(own), static_cast<std::uint16_t>(half)};
                own = half + __popc(q.z) + __popc(q.w);
            }
        int up_to = sum_up_to<32>(own), all = 0;
        if (lane == 31) warp_totals[warp] = up_to;
        __syncthreads();
        for (int w = 0; w < sort_warps; ++w) {
            up_to += w < warp ? warp_totals[w] : 0;
            all += warp_totals[w];
        }
        bases_[t] = up_to - own;
        __syncthreads();
        return all;
    }
    /// How many of the set are less.
    __device__ int before(unsigned number) const {
        const unsigned word = number / 64;
        const auto bits = reinterpret_cast<const unsigned long long*>(bits_)[word];
        return bases_[word / (2 * quads)] + reinterpret_cast<const std::uint16_t*>(before_)[word] +
               __popcll(bits & ((1ull << number % 64) - 1));
    }

private:
    uint4 bits_[sort_block * quads];
    ushort2 before_[sort_block * quads];  // of each 64 bits, within the thread's
    int bases_[sort_block];
};

/// A tile's keys in shared memory: row and column above the number, in 32 bits where these hold all, else in 64.
struct tile_keys {
    struct sorting {
        union {
            std::uint32_t keys[sort_tile];
            std::uint64_t wide_keys[sort_tile];
        };
        union {
            tile_ranks<pass_bits>::TempStorage ranks;
            tile_ranks<few_pass_bits>::TempStorage few_ranks;
        };
    };
    union {
        sorting sort;
        bit_ranks set;
    };

    template <class Key>
    __device__ Key* staged() {
        if constexpr (sizeof(Key) == 4)
            return sort.keys;
        else
            return sort.wide_keys;
    }
};

/// Columns of a tile, less the least, and how many bits tell them apart.
struct key_columns {
    unsigned low, high;
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

/// Of a tile's products or places, in their order, those that cannot share a row and a column: entries of A, pieces of runs.
struct tile_groups {
    const int (&of)[sort_each];
    offset_t count;
};

/// Puts keys in order by counting them: each is a bit, numbered by row, column and group, behind as many as are set before it. Where
/// these are more than the set holds, rows and columns are numbered first by those that there are. False: that is too many as well,
/// or a group has a column twice.
__device__ inline bool count_keys(tile_keys& m, int count, int rows, const key_columns& columns,
                                  const tile_groups& groups, const std::uint32_t (&mine)[sort_each],
                                  int* warp_totals) {
    const unsigned width = columns.high - columns.low + 1;
    const auto places = static_cast<unsigned long long>(rows) * width;
    if (places > bit_ranks::capacity || groups.count > count) return false;
    unsigned at[sort_each];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const std::uint32_t place = mine[r] >> sort_tile_bits;
        at[r] = (place >> columns.bits) * width + (place & ((1u << columns.bits) - 1));
    }
    auto numbered = static_cast<unsigned>(places);
    const auto of_a_place = static_cast<unsigned>(groups.count);
    if (places * of_a_place > bit_ranks::capacity) {
        numbered = static_cast<unsigned>(m.set.mark(count, numbered, at, warp_totals));
#pragma unroll
        for (int r = 0; r < sort_each; ++r)
            if (number_in_tile(r) < count) at[r] = static_cast<unsigned>(m.set.before(at[r]));
        __syncthreads();
        if (numbered * of_a_place > bit_ranks::capacity) return false;
    }
#pragma unroll
    for (int r = 0; r < sort_each; ++r) at[r] = at[r] * of_a_place + static_cast<unsigned>(groups.of[r]);
    const bool distinct = m.set.mark(count, numbered * of_a_place, at, warp_totals) == count;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        at[r] = static_cast<unsigned>(n < count ? m.set.before(at[r]) : n);
    }
    __syncthreads();
    if (!distinct) return false;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) m.sort.keys[at[r]] = mine[r];
    __syncthreads();
    return true;
}

/// Keys of row, counted from the tile's first, column and number, sorted by `bits` of the first two. All have read what else lies in `m`.
template <class Key>
__device__ Key* sort_keys(tile_keys& m, int count, int rows, const key_columns& columns, int bits,
                          const int (&row)[sort_each], const unsigned (&column)[sort_each],
                          const tile_groups& groups, int* warp_totals) {
    Key* const keys = m.staged<Key>();
    Key mine[sort_each];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        const Key place = static_cast<Key>(row[r]) << columns.bits | (column[r] - columns.low);
        mine[r] = n < count ? place << sort_tile_bits | static_cast<Key>(n) : ~Key{0};
    }
    if constexpr (sizeof(Key) == 4)
        if (count_keys(m, count, rows, columns, groups, mine, warp_totals)) return keys;
    bits = max(bits, 1);
    if ((bits + few_pass_bits - 1) / few_pass_bits == (bits + pass_bits - 1) / pass_bits)
        sort_by<few_pass_bits>(m.sort.few_ranks, sort_tile_bits + bits, mine, keys);
    else
        sort_by<pass_bits>(m.sort.ranks, sort_tile_bits + bits, mine, keys);
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

/// What the block of a tile of products needs in shared memory to put them in order.
struct order_memory {
    static constexpr int words = sort_tile / 32;
    struct sorted_keys {
        std::uint64_t keys[sort_tile];
        std::uint16_t turns[sort_tile];
    };
    union {
        int begins[sort_tile];
        tile_keys keys;
        sorted_keys sorted;
    };
    unsigned firsts[words];       // of the order the first of each place
    std::uint16_t places[words];  // before each word's
    int warp_last[sort_warps], warp_totals[sort_warps];
    unsigned low, high;

    __device__ int places_before(int n) const {
        return places[n / 32] + __popc(firsts[n / 32] & ~(~0u << n % 32));
    }
};
/// Of a tile's products, whose keys are in order: each one's turn, and which of the order are the first of their places. `number`: places
/// that begin up to each; returns all.
template <class Key>
__device__ int take_turns(order_memory& m, const Key* keys, int products, unsigned (&firsts)[sort_each],
                          int (&number)[sort_each]) {
    mark_firsts(keys, products, firsts);
    const int places = number_flags(firsts, m.warp_totals, number);
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        if (lane == 0) {
            m.firsts[n / 32] = firsts[r];
            m.places[n / 32] = static_cast<std::uint16_t>(number[r] - static_cast<int>(firsts[r] & 1));
        }
        if (n < products) m.sorted.turns[number_of(keys[n])] = static_cast<std::uint16_t>(n);
    }
    __syncthreads();
    return places;
}
/// Leaves what has been put in order.
__device__ inline void leave_order(const order_memory& m, const plan::mxm_tile_orders& to, offset_t tile) {
    const int t = static_cast<int>(threadIdx.x);
    if (t < sort_warps) to.warp_places[tile * sort_warps + t] = static_cast<std::uint16_t>(m.warp_totals[t]);
    if (t < order_memory::words) to.firsts[tile * order_memory::words + t] = m.firsts[t];
    auto* const turns = reinterpret_cast<uint4*>(to.turns + tile * sort_tile);
    for (int n = t; n < static_cast<int>(sizeof m.sorted.turns / sizeof(uint4)); n += sort_block)
        turns[n] = reinterpret_cast<const uint4*>(m.sorted.turns)[n];
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
    return {all_low, all_high, bit_width(all_high - all_low)};
}

}  // namespace nz::kernels::cuda
