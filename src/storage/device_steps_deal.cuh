// The two deals of a transpose in three steps: entries by ranges of columns, then each range's by its buckets.
//
// Computes: for a range, and then for a bucket, its entries in the order of rows: column in it, 16 bits; row; value.
// Who owns what: a block counts, and then deals, a tile of consecutive entries: of the matrix, then of a range. It ranks them
//   (device_steps.cuh), puts them in order in shared memory and writes each digit's run to its place, which a scan over the counts of
//   all tiles gives, digit by digit.
// An entry's row: device_marks.cuh. The row that holds each tile's first entry is noted by a thread for each row.
// Shared memory: 12 to 16 bytes an entry with values of 8 bytes: two blocks of the first deal share a multiprocessor, three of the
//   second.
// Sync: barriers within blocks; between kernels the stream's order. No kernel waits for another block.
// Determinism: counts are of integers, and deals are stable.
// Cost: counts read a column, and then 2 bytes; the deals read 4 and 6 bytes and a value and write 6 bytes and a value twice. Of
//   random:4000000,8's 32 M entries with values of 8 bytes an H100 deals the first time in 0.44 ms, at 68% of its copy rate of 3.0 TB/s,
//   and the second time in 0.38, at 79%; 0.055 ms go to either count.
// Why two deals of at most 256 digits and not one of thousands, as in device_deal.cuh: there a tile's runs have three entries, so that
//   stores fill 13 of a sector's 32 bytes, 2.4 counters an entry are cleared and summed up, and 16 warps a multiprocessor wait for each
//   other: 0.99 ms, at a third of the memory's rate. Here runs have 50 entries or more, an entry one counter, and 48 warps are there.
// Tried without gain (H100, random:4000000,8): tiles of 2,048 and 3,072 (first deal 0.60 and 0.49 ms for the 0.49 of 4,096 and the
//   0.44 of 6,144; second 0.65 and 0.56 for 0.38); 31 or 245 ranges for 123 (0.42 and 0.64 for 0.51, but the other deal the
//   other way round); asking early for the first deal's values (0.53 for 0.49; the second's and the sort's gain by it); one vote for
//   eight entries that are counted (counts by bucket 0.09 for 0.06).
#pragma once

#include "storage/device_marks.cuh"
#include "storage/device_steps.cuh"
#include "storage/device_steps_layout.hpp"

namespace nz::storage::device_steps {

using device_passes::offsets_out, device_passes::reader;
using range_shape = tile_shape<range_threads, range_items, most_digits>;
using bucket_shape = tile_shape<bucket_threads, bucket_items, most_digits>;
inline constexpr unsigned count_threads = 256;
static_assert(std::min({count_threads, range_threads, bucket_threads}) >= most_digits);

struct steps_source {
    reader offsets;
    const index_t* columns;
};
/// Entries that are dealt: columns in a range or bucket, rows, values.
struct dealt {
    std::uint16_t* columns;
    unsigned* rows;
    void* values;
};
/// What the kernels keep in device memory.
struct steps_tables {
    unsigned* tile_rows;     // [tiles + 1]: of the first entry
    unsigned* counts;        // [ranges][tiles] and 0: counts, then places
    unsigned* firsts;        // [ranges + 1]: tiles before each range's
    unsigned* range_counts;  // [range][bucket in it][tile in it] and 0: counts, then places
    unsigned* starts;        // [buckets + 1]
    unsigned* long_count;    // tiles of buckets that a block does not hold
    uint2* long_tiles;       // bucket and number in it
    unsigned* long_counts;   // [long_tiles][digits]
    dealt by_range, by_bucket;
};

/// A thread for some rows: those that hold the first entry of a tile.
__device__ inline void note_tile_rows(const steps_layout& l, reader offsets, unsigned block, unsigned* to) {
    constexpr unsigned each = 4;
    const offset_t first = offset_t{block} * count_threads * each + threadIdx.x;
    offset_t begin[each], end[each];
#pragma unroll
    for (unsigned n = 0; n < each; ++n) {
        const offset_t i = first + n * count_threads;
        begin[n] = i < l.rows ? offsets[i] : 0, end[n] = i < l.rows ? offsets[i + 1] : 0;
    }
#pragma unroll
    for (unsigned n = 0; n < each; ++n)
        for (offset_t tile = (begin[n] + range_tile_entries - 1) / range_tile_entries;
             tile * range_tile_entries < end[n]; ++tile)
            to[tile] = static_cast<unsigned>(first + n * count_threads);
    if (first == 0) to[l.tiles] = static_cast<unsigned>(l.rows - 1);
}
inline unsigned row_blocks(const steps_layout& l) {
    return static_cast<unsigned>(l.rows - 1) / (4 * count_threads) + 1;
}

/// A block a tile, then blocks for rows.
__global__ void __launch_bounds__(count_threads)
    count_ranges_kernel(steps_layout l, steps_source a, steps_tables to) {
    if (blockIdx.x >= l.tiles) return note_tile_rows(l, a.offsets, blockIdx.x - l.tiles, to.tile_rows);
    __shared__ unsigned counts[most_digits];
    if (threadIdx.x < most_digits) counts[threadIdx.x] = 0;
    __syncthreads();
    const offset_t begin = offset_t{blockIdx.x} * range_tile_entries;
    count_digits<count_threads>(a.columns + begin,
                                static_cast<unsigned>(min(l.nnz - begin, offset_t{range_tile_entries})),
                                counts, l.by_range);
    __syncthreads();
    if (threadIdx.x < l.ranges)
        to.counts[static_cast<std::size_t>(threadIdx.x) * l.tiles + blockIdx.x] = counts[threadIdx.x];
    if (blockIdx.x == 0 && threadIdx.x == 0) to.counts[l.counts() - 1] = 0;
}

__device__ inline unsigned range_start(const steps_layout& l, const steps_tables& t, unsigned range) {
    return t.counts[static_cast<std::size_t>(range) * l.tiles];
}
/// One block.
__global__ void __launch_bounds__(most_digits) start_ranges_kernel(steps_layout l, steps_tables to) {
    __shared__ unsigned sums[most_digits / lanes];
    const unsigned range = threadIdx.x;
    unsigned tiles = 0, all;
    if (range < l.ranges)
        tiles = (range_start(l, to, range + 1) - range_start(l, to, range) + bucket_tile_entries - 1) /
                bucket_tile_entries;
    const unsigned before = exclusive_sum<most_digits / lanes>(tiles, sums, all);
    if (range < l.ranges) to.firsts[range] = before;
    if (range > 0) return;
    to.firsts[l.ranges] = all;
    *to.long_count = 0;
}

/// A tile of a range: entries from `begin`, and where its counts lie, `tiles` apart. Of size 0 past the last one.
struct range_tile {
    unsigned begin = 0, size = 0, tiles = 0;
    unsigned* counts = nullptr;
};
__device__ inline range_tile tile_of(const steps_layout& l, const steps_tables& t, unsigned tile) {
    if (tile >= t.firsts[l.ranges]) return {};
    unsigned low = 0, high = l.ranges;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (t.firsts[middle] <= tile ? low : high) = middle;
    }
    const unsigned first = t.firsts[low], number = tile - first,
                   begin = range_start(l, t, low) + number * bucket_tile_entries,
                   end = range_start(l, t, low + 1);
    return {begin, min(bucket_tile_entries, end - begin), t.firsts[low + 1] - first,
            t.range_counts + static_cast<std::size_t>(first) * l.range_buckets + number};
}
__global__ void __launch_bounds__(count_threads) count_buckets_kernel(steps_layout l, steps_tables to) {
    __shared__ unsigned counts[most_digits];
    const range_tile at = tile_of(l, to, blockIdx.x);
    const unsigned bucket = threadIdx.x;
    if (blockIdx.x == 0 && bucket == 0) to.range_counts[l.range_counts() - 1] = 0;
    if (at.size == 0) {
        if (bucket < l.range_buckets)
            to.range_counts[static_cast<std::size_t>(blockIdx.x) * l.range_buckets + bucket] = 0;
        return;
    }
    if (bucket < most_digits) counts[bucket] = 0;
    __syncthreads();
    count_digits<count_threads>(to.by_range.columns + at.begin, at.size, counts, l.by_width);
    __syncthreads();
    if (bucket < l.range_buckets) at.counts[static_cast<std::size_t>(bucket) * at.tiles] = counts[bucket];
}

__device__ inline unsigned bucket_start(const steps_layout& l, const steps_tables& t, unsigned bucket) {
    if (bucket == l.buckets) return static_cast<unsigned>(l.nnz);
    const unsigned range = bucket / l.range_buckets, first = t.firsts[range];
    return t.range_counts[static_cast<std::size_t>(first) * l.range_buckets +
                          static_cast<std::size_t>(bucket % l.range_buckets) * (t.firsts[range + 1] - first)];
}
/// A thread a bucket: where they begin; those that a block does not hold are listed by tiles.
__global__ void __launch_bounds__(count_threads) start_buckets_kernel(steps_layout l, steps_tables to) {
    const auto bucket = static_cast<unsigned>(device_passes::thread_number());
    if (bucket > l.buckets) return;
    const unsigned begin = bucket_start(l, to, bucket);
    to.starts[bucket] = begin;
    if (bucket == l.buckets) return;
    const unsigned tiles = (bucket_start(l, to, bucket + 1) - begin + sort_tile - 1) / sort_tile;
    if (tiles <= 1) return;
    const unsigned first = atomicAdd(to.long_count, tiles);
    for (unsigned n = 0; n < tiles; ++n) to.long_tiles[first + n] = {bucket, n};
}

/// The dynamic shared memory of a block that deals a tile.
template <class Shape, class Value>
class deal_room {
public:
    static constexpr unsigned tile = Shape::tile, places_at = Shape::counter_bytes,
                              sums_at = places_at + most_digits * 4, values_at = sums_at + 256,
                              keys_at = values_at + tile * std::max(value_bytes_of<Value>, 4u),
                              bytes = keys_at + tile * 8;
    __device__ explicit deal_room(uint4* memory) : memory_(reinterpret_cast<char*>(memory)) {}
    __device__ char* counters() const { return memory_; }
    __device__ unsigned* places() const { return reinterpret_cast<unsigned*>(memory_ + places_at); }
    __device__ unsigned* sums() const { return reinterpret_cast<unsigned*>(memory_ + sums_at); }
    __device__ Value* values() const { return reinterpret_cast<Value*>(memory_ + values_at); }
    __device__ unsigned* marks() const { return reinterpret_cast<unsigned*>(memory_ + values_at); }  // [tile]
    /// The row; digit << 16 | column.
    __device__ uint2* keys() const { return reinterpret_cast<uint2*>(memory_ + keys_at); }
    __device__ unsigned* rows() const { return reinterpret_cast<unsigned*>(memory_ + keys_at); }
    __device__ std::uint16_t* columns() const {
        return reinterpret_cast<std::uint16_t*>(memory_ + keys_at + tile * 4);
    }

private:
    char* memory_;
};

/// Rows of a lane's entries, as far after the tile's first one as their marks say. All threads call it; one barrier within.
template <class Ranker>
__device__ void find_rows(const Ranker& ranker, const unsigned* marks, unsigned* warp_marks,
                          unsigned first_row, unsigned (&rows)[range_items]) {
    unsigned last = 0, before = 0;
#pragma unroll
    for (unsigned i = 0; i < range_items; ++i) {
        rows[i] = ranker.uses(i) ? marks[ranker.entry(i)] : 0;
        last = max(last, rows[i]);
    }
    last = __reduce_max_sync(full_warp, last);
    if (threadIdx.x % lanes == 0) warp_marks[threadIdx.x / lanes] = last;
    __syncthreads();
    for (unsigned w = 0; w < threadIdx.x / lanes; ++w) before = max(before, warp_marks[w]);
#pragma unroll
    for (unsigned i = 0; i < range_items; ++i)
        if (ranker.uses(i)) rows[i] = first_row + device_marks::last_mark(rows[i], before);
}

template <bool Full, class Value>
__device__ void deal_tile_by_range(const steps_layout& l, const steps_source& a, const steps_tables& t,
                                   const Value* from, const deal_room<range_shape, Value>& room) {
    using shape = range_shape;
    const offset_t begin = offset_t{blockIdx.x} * shape::tile;
    const auto size = static_cast<unsigned>(min(l.nnz - begin, offset_t{shape::tile}));
    const tile_ranker<shape, Full> ranker(room.counters(), size);
    unsigned columns[shape::items], rows[shape::items], ranked[shape::items];
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i)
        columns[i] = ranker.holds(i) ? static_cast<unsigned>(__ldcs(a.columns + begin + ranker.entry(i))) : 0;
    const uint2 tile_rows{t.tile_rows[blockIdx.x], t.tile_rows[blockIdx.x + 1]};
    ranker.clear();
    for (unsigned k = threadIdx.x; k < shape::tile / 4; k += shape::threads)
        reinterpret_cast<uint4*>(room.marks())[k] = {};
    if (threadIdx.x < most_digits)
        room.places()[threadIdx.x] =
            threadIdx.x < l.ranges ? t.counts[static_cast<std::size_t>(threadIdx.x) * l.tiles + blockIdx.x]
                                   : 0;
    __syncthreads();
    device_marks::mark_rows(a.offsets, tile_rows, begin, size, shape::tile, room.marks());
    __syncthreads();
    find_rows(ranker, room.marks(), room.sums(), tile_rows.x, rows);
    ranker.rank(columns, ranked, 32 - __clz(static_cast<int>(l.ranges - 1)), l.by_range);
    __syncthreads();
    ranker.place_counters(room.sums(), [&](unsigned d, unsigned place) { room.places()[d] -= place; });
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        const unsigned place = ranker.place_of(ranked[i]), digit = ranked[i] >> 16;
        fetch(room.values() + place, from + begin + ranker.entry(i));
        room.keys()[place] = {rows[i], digit << 16 | (columns[i] - digit * l.by_range.by)};
    }
    wait_for_fetched();
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < size; place += shape::threads) {
        const uint2 key = room.keys()[place];
        const unsigned to = room.places()[key.y >> 16] + place;
        t.by_range.columns[to] = static_cast<std::uint16_t>(key.y);
        t.by_range.rows[to] = key.x;
        if constexpr (value_bytes_of<Value> > 0)
            static_cast<Value*>(t.by_range.values)[to] = room.values()[place];
    }
}

/// The first deal: a block a tile.
template <class Value>
__global__ void __launch_bounds__(range_threads, 2)
    deal_ranges_kernel(steps_layout l, steps_source a, steps_tables t, const Value* from) {
    extern __shared__ uint4 steps_memory[];
    const deal_room<range_shape, Value> room(steps_memory);
    if ((offset_t{blockIdx.x} + 1) * range_tile_entries <= l.nnz)
        deal_tile_by_range<true>(l, a, t, from, room);
    else
        deal_tile_by_range<false>(l, a, t, from, room);
}

template <bool Full, class Value>
__device__ void deal_tile_by_bucket(const steps_layout& l, const steps_tables& t, const range_tile& at,
                                    const deal_room<bucket_shape, Value>& room) {
    using shape = bucket_shape;
    const tile_ranker<shape, Full> ranker(room.counters(), at.size);
    unsigned columns[shape::items], ranked[shape::items];
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i)
        columns[i] = ranker.holds(i) ? t.by_range.columns[at.begin + ranker.entry(i)] : 0;
    const unsigned* rows = t.by_range.rows + at.begin;
    const Value* values = static_cast<const Value*>(t.by_range.values) + at.begin;
    fetch_early(values, at.size);
    fetch_early(rows, at.size);
    ranker.clear();
    if (threadIdx.x < most_digits)
        room.places()[threadIdx.x] =
            threadIdx.x < l.range_buckets ? at.counts[static_cast<std::size_t>(threadIdx.x) * at.tiles] : 0;
    __syncthreads();
    ranker.rank(columns, ranked, 32 - __clz(static_cast<int>(l.range_buckets - 1)), l.by_width);
    __syncthreads();
    ranker.place_counters(room.sums(), [&](unsigned d, unsigned place) { room.places()[d] -= place; });
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        const unsigned place = ranker.place_of(ranked[i]);
        fetch(room.values() + place, values + ranker.entry(i));
        fetch(room.rows() + place, rows + ranker.entry(i));
        room.columns()[place] = static_cast<std::uint16_t>(columns[i]);
    }
    wait_for_fetched();
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < at.size; place += shape::threads) {
        const unsigned column = room.columns()[place], digit = l.by_width(column),
                       to = room.places()[digit] + place;
        t.by_bucket.columns[to] = static_cast<std::uint16_t>(column - digit * l.by_width.by);
        t.by_bucket.rows[to] = room.rows()[place];
        if constexpr (value_bytes_of<Value> > 0)
            static_cast<Value*>(t.by_bucket.values)[to] = room.values()[place];
    }
}

/// The second deal: a block a tile of a range.
template <class Value>
__global__ void __launch_bounds__(bucket_threads, 3) deal_buckets_kernel(steps_layout l, steps_tables t) {
    extern __shared__ uint4 steps_memory[];
    const deal_room<bucket_shape, Value> room(steps_memory);
    const range_tile at = tile_of(l, t, blockIdx.x);
    if (at.size == bucket_tile_entries)
        deal_tile_by_bucket<true>(l, t, at, room);
    else if (at.size > 0)
        deal_tile_by_bucket<false>(l, t, at, room);
}

}  // namespace nz::storage::device_steps
