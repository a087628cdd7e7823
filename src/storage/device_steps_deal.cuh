// The two deals of entries to where their keys say, their columns in a transpose and their rows where coordinates become a CSR: to ranges
// of keys, then each range's to its buckets.
//
// Computes: for a range, and then for a bucket, its entries in the order of input: key in it, 16 bits; row, or column; value.
// Who owns what: a block counts, and then deals, a tile of consecutive entries: of the input, then of a range. It ranks them
//   (device_steps.cuh), puts them in order in shared memory and writes each digit's run to its place, which a scan over the counts of
//   all tiles gives, digit by digit.
// A matrix's entry's row: device_marks.cuh. The row that holds each tile's first entry is noted by a thread for each row. Coordinates
//   have theirs; whether they lie inside is seen as rows are counted and columns dealt, and whether rows ascend: then nothing is dealt.
// Shared memory: 12 to 16 bytes an entry with values of 8 bytes: two blocks of the first deal share a multiprocessor, three of the
//   second.
// Sync: barriers within blocks; between kernels the stream's order. No kernel waits for another block.
// Determinism: counts are of integers, and deals are stable.
// Cost: counts read a key, and then 2 bytes; the deals read 4 (coordinates 8) and 6 bytes and a value and write 6 bytes and a value twice.
//   Of random:4000000,8's 32 M entries with values of 8 bytes an H100 deals the first time in 0.44 ms (coordinates 0.42), at 68% of its copy
//   rate of 3.0 TB/s (77%), and the second time in 0.38, at 79%; 0.055 ms go to either count.
// Why two deals of at most 256 digits and not one of thousands, as in device_deal.cuh: there a tile's runs have three entries, so that
//   stores fill 13 of a sector's 32 bytes, 2.4 counters an entry are cleared and summed up, and 16 warps a multiprocessor wait for each
//   other: 0.99 ms, at a third of the memory's rate. Here runs have 50 entries or more, an entry one counter, and 48 warps are there.
// Tried without gain (H100, random:4000000,8): tiles of 2,048 and 3,072 (first deal 0.60 and 0.49 ms for the 0.49 of 4,096 and the
//   0.44 of 6,144; second 0.65 and 0.56 for 0.38); 31 or 245 ranges for 123 (0.42 and 0.64 for 0.51, but the other deal the
//   other way round); asking early for the first deal's values (0.53 for 0.49; the second's and the sort's gain by it); one vote for
//   eight entries that are counted (counts by bucket 0.09 for 0.06); a lane's peers by an atomic or of lanes' bits in shared memory in place
//   of votes (0.41 and 0.39 for 0.41 and 0.38).
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

/// A matrix that is transposed: keys are columns.
struct matrix_source {
    reader offsets;
    const index_t* columns;
    index_t rows;

    __device__ const index_t* keys() const { return columns; }
    __device__ unsigned key(index_t column) const { return static_cast<unsigned>(column); }
    __device__ bool in_order() const { return false; }
};
/// What is noted of coordinates on the way.
struct tuple_notes {
    unsigned any_outside,
        out_of_order;  ///< whether some are outside the matrix; whether a row is less than that before
};
/// Coordinates: keys are rows. Those outside are taken for others. Where rows ascend nothing is dealt.
struct tuple_source {
    const index_t *rows, *columns;
    const void* values;
    index_t row_count, column_count;
    tuple_notes* notes;

    __device__ const index_t* keys() const { return rows; }
    __device__ unsigned key(index_t row) const {
        return min(static_cast<unsigned>(row), static_cast<unsigned>(row_count - 1));
    }
    __device__ unsigned column(unsigned at) const {
        if (at < static_cast<unsigned>(column_count)) return at;
        notes->any_outside = 1;
        return 0;
    }
    __device__ bool in_order() const { return notes->out_of_order == 0; }
};
template <class Source>
inline constexpr bool of_matrix = std::is_same_v<Source, matrix_source>;

/// Entries that are dealt: keys in a range or bucket, their rows in a transpose or columns, values.
struct dealt {
    std::uint16_t* keys;
    unsigned* others;
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
__device__ inline void note_tile_rows(const steps_layout& l, const matrix_source& a, unsigned block,
                                      unsigned* to) {
    constexpr unsigned each = 4;
    const offset_t first = offset_t{block} * count_threads * each + threadIdx.x;
    offset_t begin[each], end[each];
#pragma unroll
    for (unsigned n = 0; n < each; ++n) {
        const offset_t i = first + n * count_threads;
        begin[n] = i < a.rows ? a.offsets[i] : 0, end[n] = i < a.rows ? a.offsets[i + 1] : 0;
    }
#pragma unroll
    for (unsigned n = 0; n < each; ++n)
        for (offset_t tile = (begin[n] + range_tile_entries - 1) / range_tile_entries;
             tile * range_tile_entries < end[n]; ++tile)
            to[tile] = static_cast<unsigned>(first + n * count_threads);
    if (first == 0) to[l.tiles] = static_cast<unsigned>(a.rows - 1);
}
/// Blocks that note rows.
inline unsigned row_blocks(const matrix_source& a) {
    return static_cast<unsigned>(a.rows - 1) / (4 * count_threads) + 1;
}
inline unsigned row_blocks(const tuple_source&) { return 0; }

/// Whether rows lie inside, and ascend: of a tile as it is counted, and where warps' entries and tiles meet.
struct rows_check {
    const tuple_source& a;
    bool& in_order;
    __device__ void operator()(unsigned row, bool mine) const {
        const unsigned before = __shfl_up_sync(full_warp, row, 1);
        if (!mine) return;
        if (row >= static_cast<unsigned>(a.row_count)) a.notes->any_outside = 1;
        in_order &= threadIdx.x % lanes == 0 || before <= row;
    }
    __device__ unsigned row(offset_t k) const { return static_cast<unsigned>(a.rows[k]); }
    __device__ void seams(offset_t begin, unsigned size) const {
        for (unsigned e = threadIdx.x * lanes; e < size; e += count_threads * lanes)
            in_order &= begin + e == 0 || row(begin + e - 1) <= row(begin + e);
    }
};
/// A block a tile, then blocks for rows.
template <class Source>
__global__ void __launch_bounds__(count_threads)
    count_ranges_kernel(steps_layout l, Source a, steps_tables to) {
    if constexpr (of_matrix<Source>)
        if (blockIdx.x >= l.tiles) return note_tile_rows(l, a, blockIdx.x - l.tiles, to.tile_rows);
    __shared__ unsigned counts[most_digits];
    if (threadIdx.x < most_digits) counts[threadIdx.x] = 0;
    __syncthreads();
    const offset_t begin = offset_t{blockIdx.x} * range_tile_entries;
    const auto size = static_cast<unsigned>(min(l.nnz - begin, offset_t{range_tile_entries}));
    if constexpr (of_matrix<Source>) {
        count_digits<count_threads>(a.keys() + begin, size, counts, l.by_range);
        __syncthreads();
    } else {
        bool in_order = true;
        const rows_check check{a, in_order};
        count_digits<count_threads>(
            a.keys() + begin, size, counts, [&](unsigned row) { return l.by_range(a.key(row)); }, check);
        check.seams(begin, size);
        if (!__syncthreads_and(in_order) && threadIdx.x == 0) a.notes->out_of_order = 1;
    }
    if (threadIdx.x < l.ranges)
        to.counts[static_cast<std::size_t>(threadIdx.x) * l.tiles + blockIdx.x] = counts[threadIdx.x];
    if (blockIdx.x == 0 && threadIdx.x == 0) to.counts[l.counts() - 1] = 0;
}

__device__ inline unsigned range_start(const steps_layout& l, const steps_tables& t, unsigned range) {
    return t.counts[static_cast<std::size_t>(range) * l.tiles];
}
/// One block. Where keys are in order there are no tiles: nothing is dealt.
template <class Source>
__global__ void __launch_bounds__(most_digits)
    start_ranges_kernel(steps_layout l, Source a, steps_tables to) {
    __shared__ unsigned sums[most_digits / lanes];
    const unsigned range = threadIdx.x;
    unsigned tiles = 0, all;
    if (range < l.ranges && !a.in_order())
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
template <unsigned Digits>
__global__ void __launch_bounds__(count_threads) count_buckets_kernel(steps_layout l, steps_tables to) {
    __shared__ unsigned counts[Digits];
    const range_tile at = tile_of(l, to, blockIdx.x);
    const unsigned bucket = threadIdx.x;
    if (blockIdx.x == 0 && bucket == 0) to.range_counts[l.range_counts() - 1] = 0;
    if (at.size == 0) {
        if (bucket < l.range_buckets)
            to.range_counts[static_cast<std::size_t>(blockIdx.x) * l.range_buckets + bucket] = 0;
        return;
    }
    if (bucket < Digits) counts[bucket] = 0;
    __syncthreads();
    count_digits<count_threads>(to.by_range.keys + at.begin, at.size, counts, l.by_width);
    __syncthreads();
    if (bucket < l.range_buckets) at.counts[static_cast<std::size_t>(bucket) * at.tiles] = counts[bucket];
}

__device__ inline unsigned bucket_start(const steps_layout& l, const steps_tables& t, unsigned bucket) {
    if (bucket == l.buckets) return static_cast<unsigned>(l.nnz);
    if (l.once()) return range_start(l, t, bucket);
    const unsigned range = bucket / l.range_buckets, first = t.firsts[range];
    return t.range_counts[static_cast<std::size_t>(first) * l.range_buckets +
                          static_cast<std::size_t>(bucket % l.range_buckets) * (t.firsts[range + 1] - first)];
}
/// The first entry whose key is not less.
__device__ inline unsigned first_of(const index_t* keys, unsigned count, offset_t key) {
    unsigned low = 0, high = count;
    while (low < high) {
        const unsigned middle = low + (high - low) / 2;
        static_cast<unsigned>(keys[middle]) < key ? low = middle + 1 : high = middle;
    }
    return low;
}
/// A thread a bucket: where they begin. List is given their sizes.
template <class Source, class List>
__global__ void __launch_bounds__(count_threads)
    start_buckets_kernel(steps_layout l, Source a, steps_tables to, List list) {
    const auto bucket = static_cast<unsigned>(device_passes::thread_number());
    if (bucket > l.buckets) return;
    const bool in_order = a.in_order();
    const auto start = [&](unsigned b) {
        return in_order ? first_of(a.keys(), static_cast<unsigned>(l.nnz), offset_t{b} * l.width)
                        : bucket_start(l, to, b);
    };
    const unsigned begin = start(bucket);
    to.starts[bucket] = begin;
    if (bucket < l.buckets) list(to, bucket, start(bucket + 1) - begin);
}
/// Buckets that a block does not hold, by tiles.
struct list_tiles {
    __device__ void operator()(const steps_tables& to, unsigned bucket, unsigned size) const {
        const unsigned tiles = (size + sort_tile - 1) / sort_tile;
        if (tiles <= 1) return;
        const unsigned first = atomicAdd(to.long_count, tiles);
        for (unsigned n = 0; n < tiles; ++n) to.long_tiles[first + n] = {bucket, n};
    }
};

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
    /// The row or column; digit << 16 | key.
    __device__ uint2* keys() const { return reinterpret_cast<uint2*>(memory_ + keys_at); }
    // Apart, of the second deal.
    __device__ unsigned* others() const { return reinterpret_cast<unsigned*>(memory_ + keys_at); }
    __device__ std::uint16_t* digit_keys() const {
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

/// All threads call it, once counters and marks' memory are free; two barriers within.
template <class Ranker, class Room>
__device__ void mark_and_find_rows(const matrix_source& a, const Ranker& ranker, offset_t begin,
                                   unsigned size, const unsigned* tile_rows, const Room& room,
                                   unsigned (&rows)[range_items]) {
    const uint2 span{tile_rows[blockIdx.x], tile_rows[blockIdx.x + 1]};
    for (unsigned k = threadIdx.x; k < range_tile_entries / 4; k += range_threads)
        reinterpret_cast<uint4*>(room.marks())[k] = {};
    __syncthreads();
    device_marks::mark_rows(a.offsets, span, begin, size, range_tile_entries, room.marks());
    __syncthreads();
    find_rows(ranker, room.marks(), room.sums(), span.x, rows);
}

template <bool Full, class Source, class Value>
__device__ void deal_tile_by_range(const steps_layout& l, const Source& a, const steps_tables& t,
                                   const Value* from, const deal_room<range_shape, Value>& room) {
    using shape = range_shape;
    const offset_t begin = offset_t{blockIdx.x} * shape::tile;
    const auto size = static_cast<unsigned>(min(l.nnz - begin, offset_t{shape::tile}));
    const tile_ranker<shape, Full> ranker(room.counters(), size);
    unsigned keys[shape::items], rows[shape::items], ranked[shape::items];
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i)
        keys[i] = ranker.holds(i) ? a.key(__ldcs(a.keys() + begin + ranker.entry(i))) : 0;
    if (a.in_order()) return;
    ranker.clear();
    if (threadIdx.x < most_digits)
        room.places()[threadIdx.x] =
            threadIdx.x < l.ranges ? t.counts[static_cast<std::size_t>(threadIdx.x) * l.tiles + blockIdx.x]
                                   : 0;
    if constexpr (of_matrix<Source>)
        mark_and_find_rows(a, ranker, begin, size, t.tile_rows, room, rows);
    else
        __syncthreads();
    ranker.rank(keys, ranked, 32 - __clz(static_cast<int>(l.ranges - 1)), l.by_range);
    __syncthreads();
    ranker.place_counters(room.sums(), [&](unsigned d, unsigned place) { room.places()[d] -= place; });
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        const unsigned place = ranker.place_of(ranked[i]), digit = ranked[i] >> 16;
        fetch(room.values() + place, from + begin + ranker.entry(i));
        room.keys()[place].y = digit << 16 | (keys[i] - digit * l.by_range.by);
        if constexpr (of_matrix<Source>)
            room.keys()[place].x = rows[i];
        else
            fetch(reinterpret_cast<index_t*>(&room.keys()[place].x), a.columns + begin + ranker.entry(i));
    }
    wait_for_fetched();
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < size; place += shape::threads) {
        const uint2 key = room.keys()[place];
        const unsigned to = room.places()[key.y >> 16] + place;
        t.by_range.keys[to] = static_cast<std::uint16_t>(key.y);
        if constexpr (of_matrix<Source>)
            t.by_range.others[to] = key.x;
        else
            t.by_range.others[to] = a.column(key.x);
        if constexpr (value_bytes_of<Value> > 0)
            static_cast<Value*>(t.by_range.values)[to] = room.values()[place];
    }
}

/// The first deal: a block a tile.
template <class Source, class Value>
__global__ void __launch_bounds__(range_threads, 2)
    deal_ranges_kernel(steps_layout l, Source a, steps_tables t, const Value* from) {
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
    unsigned keys[shape::items], ranked[shape::items];
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i)
        keys[i] = ranker.holds(i) ? t.by_range.keys[at.begin + ranker.entry(i)] : 0;
    const unsigned* others = t.by_range.others + at.begin;
    const Value* values = static_cast<const Value*>(t.by_range.values) + at.begin;
    fetch_early(values, at.size);
    fetch_early(others, at.size);
    ranker.clear();
    if (threadIdx.x < most_digits)
        room.places()[threadIdx.x] =
            threadIdx.x < l.range_buckets ? at.counts[static_cast<std::size_t>(threadIdx.x) * at.tiles] : 0;
    __syncthreads();
    ranker.rank(keys, ranked, 32 - __clz(static_cast<int>(l.range_buckets - 1)), l.by_width);
    __syncthreads();
    ranker.place_counters(room.sums(), [&](unsigned d, unsigned place) { room.places()[d] -= place; });
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < shape::items; ++i) {
        if (!ranker.holds(i)) continue;
        const unsigned place = ranker.place_of(ranked[i]);
        fetch(room.values() + place, values + ranker.entry(i));
        fetch(room.others() + place, others + ranker.entry(i));
        room.digit_keys()[place] = static_cast<std::uint16_t>(keys[i]);
    }
    wait_for_fetched();
#pragma unroll 4
    for (unsigned place = threadIdx.x; place < at.size; place += shape::threads) {
        const unsigned key = room.digit_keys()[place], digit = l.by_width(key),
                       to = room.places()[digit] + place;
        t.by_bucket.keys[to] = static_cast<std::uint16_t>(key - digit * l.by_width.by);
        t.by_bucket.others[to] = room.others()[place];
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
