// The kernels of a transpose by two deals: entries by buckets of neighbouring columns, then each bucket's by its columns.
//
// Who owns what: a block counts, and then deals, a group of consecutive tiles; a block deals a part of a bucket. A part is the
//   whole bucket, whose columns the block counts itself, unless it holds more than part_entries (columns that very many rows
//   have): then its parts are counted first, block by block, and placed by a block for the bucket.
// An entry's row: rows mark where they begin in the tile, which a warp reads 32 at a time, the last mark at or before an entry
//   being its row's. A tile over which very many empty rows are strewn halves for each entry in place of that.
// Sync: barriers within blocks; between kernels the stream's order. No kernel waits for another block.
// Determinism: counts are of integers, and deals are stable: rows ascend in each column, equal entries stay in order.
// Why counts in a matrix and not a look back along the tiles: it is small beside the entries, and nothing waits in it.
#pragma once

#include "storage/device_deal.cuh"
#include "storage/device_marks.cuh"

namespace nz::storage::device_deal {

using device_passes::for_each_count, device_passes::offsets_out, device_passes::reader;

inline constexpr unsigned scan_threads = 1024;

struct deal_source {
    reader offsets;
    const index_t* columns;
};
/// What the kernels keep in device memory.
struct deal_tables {
    unsigned *window_entries, *window_groups;       // [windows + 1]: what lies before each window
    uint2* tile_rows;                               // [groups][group_tiles]: of the first and the last entry
    unsigned* places;                               // [groups][buckets]: counts, then places
    unsigned* chunk_sums;                           // [chunks][buckets]
    unsigned *starts, *part_firsts, *split_firsts;  // [buckets + 1]
    unsigned* part_buckets;                         // [parts]
    unsigned* split_places;                         // [split_parts][2^column_bits]
    unsigned* keys;                                 // [nnz]
    void* values;                                   // [nnz]
};
/// One warp.
__global__ void windows_kernel(deal_layout l, reader offsets, deal_tables to) {
    unsigned before = 0;
    const auto entries_before = [&](unsigned w) {
        const offset_t row = offset_t{w} << l.row_bits;
        return static_cast<unsigned>(offsets[row < l.rows ? row : l.rows]);
    };
    const auto a_group = static_cast<unsigned>(l.group_tiles * tile_entries);
    for (unsigned first = 0; first < l.windows; first += lanes) {
        const unsigned w = first + threadIdx.x;
        const bool mine = w < l.windows;
        const unsigned begin = mine ? entries_before(w) : 0, size = mine ? entries_before(w + 1) - begin : 0,
                       groups = size / a_group + (size % a_group != 0);
        unsigned up_to = groups;
        for (unsigned step = 1; step < lanes; step *= 2) {
            const unsigned left = __shfl_up_sync(full_warp, up_to, step);
            if (threadIdx.x >= step) up_to += left;
        }
        if (mine) {
            to.window_entries[w] = begin;
            to.window_groups[w] = before + up_to - groups;
        }
        before += __shfl_sync(full_warp, up_to, lanes - 1);
    }
    if (threadIdx.x == 0) {
        to.window_entries[l.windows] = static_cast<unsigned>(l.nnz);
        to.window_groups[l.windows] = before;
    }
}

/// Entries of a group, all of one window; none past the last group.
struct group_range {
    unsigned window = 0;
    offset_t begin = 0, end = 0;
};
__device__ inline group_range entries_of(const deal_layout& l, const deal_tables& in, unsigned group) {
    if (group >= in.window_groups[l.windows]) return {};
    unsigned low = 0, high = l.windows;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (in.window_groups[middle] <= group ? low : high) = middle;
    }
    const offset_t a_group = offset_t{l.group_tiles} * tile_entries,
                   begin = in.window_entries[low] + (group - in.window_groups[low]) * a_group,
                   end = in.window_entries[low + 1];
    return {low, begin, begin + a_group < end ? begin + a_group : end};
}

/// The row that holds an entry, found by a warp: the last whose offset is not beyond it.
__device__ inline unsigned row_of(reader offsets, index_t rows, offset_t entry) {
    offset_t low = 0, high = rows;
    while (high - low > 1) {
        const offset_t step = (high - low + lanes - 1) / lanes, probe = low + threadIdx.x % lanes * step;
        const unsigned not_beyond = __ballot_sync(full_warp, probe < high && offsets[probe] <= entry);
        low += (31 - __clz(static_cast<int>(not_beyond))) * step;
        high = low + step < high ? low + step : high;
    }
    return static_cast<unsigned>(low);
}

/// Rows of a group's tiles, a warp a tile.
__device__ inline void find_tile_rows(const deal_layout& l, reader offsets, group_range g, uint2* to) {
    for (unsigned tile = threadIdx.x / lanes; tile < l.group_tiles; tile += deal_warps) {
        const offset_t begin = g.begin + offset_t{tile} * tile_entries;
        if (begin >= g.end) return;
        const offset_t end = begin + tile_entries < g.end ? begin + tile_entries : g.end;
        const unsigned first = row_of(offsets, l.rows, begin), last = row_of(offsets, l.rows, end - 1);
        if (threadIdx.x % lanes == 0) to[tile] = {first, last};
    }
}

/// How many of `size` keys have each digit below `digits`, in shared memory. Ends with a barrier.
template <class Key, class Digit>
__device__ void count_digits(const Key* keys, unsigned size, unsigned digits, unsigned* counts, Digit digit) {
    for (unsigned d = threadIdx.x; d < digits; d += deal_threads) counts[d] = 0;
    __syncthreads();
    constexpr unsigned batch = 16;  // loads under way
    for (unsigned e = threadIdx.x; e < size; e += batch * deal_threads) {
        Key found[batch];
#pragma unroll
        for (unsigned n = 0; n < batch; ++n)
            if (e + n * deal_threads < size) found[n] = keys[e + n * deal_threads];
#pragma unroll
        for (unsigned n = 0; n < batch; ++n)
            if (e + n * deal_threads < size) atomicAdd(counts + digit(found[n]), 1u);
    }
    __syncthreads();
}

__global__ void __launch_bounds__(deal_threads)
    count_groups_kernel(deal_layout l, deal_source a, deal_tables to) {
    __shared__ unsigned counts[1 << most_digit_bits];
    const group_range g = entries_of(l, to, blockIdx.x);
    if (g.begin == g.end) return;
    count_digits(a.columns + g.begin, static_cast<unsigned>(g.end - g.begin), l.buckets, counts,
                 [&](index_t j) { return static_cast<unsigned>(j) >> l.column_bits; });
    unsigned* row = to.places + static_cast<std::size_t>(blockIdx.x) * l.buckets;
    for (unsigned b = threadIdx.x; b < l.buckets; b += deal_threads) row[b] = counts[b];
    find_tile_rows(l, a.offsets, g, to.tile_rows + static_cast<std::size_t>(blockIdx.x) * l.group_tiles);
}

/// The groups of a chunk and where a bucket's counts of them lie; a thread a bucket, chunks along y.
struct chunk_counts {
    unsigned bucket, groups;
    unsigned* first;
};
__device__ inline chunk_counts counts_of_chunk(const deal_layout& l, const deal_tables& in) {
    const auto bucket = static_cast<unsigned>(device_passes::thread_number());
    const unsigned all = in.window_groups[l.windows], begin = blockIdx.y * l.chunk_groups,
                   left = begin < all ? all - begin : 0;
    return {bucket, left < l.chunk_groups ? left : l.chunk_groups,
            in.places + static_cast<std::size_t>(begin) * l.buckets + bucket};
}
__global__ void sum_chunks_kernel(deal_layout l, deal_tables to) {
    const chunk_counts c = counts_of_chunk(l, to);
    if (c.bucket >= l.buckets) return;
    unsigned sum = 0;
    for_each_count(c.first, c.groups, l.buckets, [&](unsigned&, unsigned count) { sum += count; });
    to.chunk_sums[blockIdx.y * l.buckets + c.bucket] = sum;
}

/// One block: where buckets and their parts begin; chunk_sums become what lies before each chunk.
__global__ void __launch_bounds__(scan_threads) start_buckets_kernel(deal_layout l, deal_tables to) {
    constexpr unsigned warps = scan_threads / lanes;
    __shared__ unsigned sums[warps];
    __shared__ unsigned long long part_sums[warps];
    unsigned entries_before = 0;
    unsigned long long parts_before = 0;  // those of split buckets above the lower half
    for (unsigned first = 0; first < l.buckets; first += scan_threads) {
        const unsigned b = first + threadIdx.x;
        const bool mine = b < l.buckets;
        unsigned size = 0;
        if (mine)
            for_each_count(to.chunk_sums + b, chunks, l.buckets, [&](unsigned& at, unsigned count) {
                at = size;
                size += count;
            });
        const unsigned parts = size <= part_entries ? 1 : size / part_entries + (size % part_entries != 0);
        const unsigned long long both =
            mine ? static_cast<unsigned long long>(parts > 1 ? parts : 0) << 32 | parts : 0;
        unsigned entries;
        unsigned long long all_parts;
        const unsigned start = entries_before + exclusive_sum<warps>(size, sums, entries);
        const unsigned long long firsts = parts_before + exclusive_sum<warps>(both, part_sums, all_parts);
        entries_before += entries;
        parts_before += all_parts;
        if (!mine) continue;
        to.starts[b] = start;
        to.part_firsts[b] = static_cast<unsigned>(firsts);
        to.split_firsts[b] = static_cast<unsigned>(firsts >> 32);
        for (unsigned p = 0; p < parts; ++p) to.part_buckets[static_cast<unsigned>(firsts) + p] = b;
    }
    if (threadIdx.x == 0) {
        to.starts[l.buckets] = entries_before;
        to.part_firsts[l.buckets] = static_cast<unsigned>(parts_before);
        to.split_firsts[l.buckets] = static_cast<unsigned>(parts_before >> 32);
    }
}

__global__ void place_groups_kernel(deal_layout l, deal_tables to) {
    const chunk_counts c = counts_of_chunk(l, to);
    if (c.bucket >= l.buckets) return;
    unsigned before = to.starts[c.bucket] + to.chunk_sums[blockIdx.y * l.buckets + c.bucket];
    for_each_count(c.first, c.groups, l.buckets, [&](unsigned& at, unsigned count) {
        at = before;
        before += count;
    });
}

/// The mark that holds before this warp's entries: the largest of the earlier warps'. All threads call it.
template <class Room, class Dealer>
__device__ unsigned mark_before_warp(const Room& room, const Dealer& dealer) {
    const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    unsigned last = 0;
#pragma unroll 9
    for (unsigned item = 0; item < items; ++item)
        if (item < dealer.used()) last = max(last, room.marks()[dealer.entry(item)]);
    last = __reduce_max_sync(full_warp, last);
    if (lane == 0) room.warp_rows()[warp] = last;
    __syncthreads();
    unsigned before = 0;
    for (unsigned w = 0; w < warp; ++w) before = max(before, room.warp_rows()[w]);
    return before;
}
/// The first deal: a group's entries to their buckets, or, where a bucket is a column, into the result.
template <int Digits, class Value>
__global__ void __launch_bounds__(deal_threads, 2)
    deal_groups_kernel(deal_layout l, deal_source a, deal_tables t, const Value* from, unsigned* keys,
                       Value* values) {
    extern __shared__ uint4 deal_memory[];
    const tile_room<Digits, Value> room(deal_memory);
    const group_range g = entries_of(l, t, blockIdx.x);
    if (g.begin == g.end) return;
    for (unsigned b = threadIdx.x; b < Digits; b += deal_threads)
        room.places()[b] = b < l.buckets ? t.places[static_cast<std::size_t>(blockIdx.x) * l.buckets + b] : 0;
    tile_dealer<Digits, Value> dealer(room, l.bucket_bits);
    const unsigned low_columns = (1u << l.column_bits) - 1;
    unsigned tile = blockIdx.x * l.group_tiles;
    for (offset_t begin = g.begin; begin < g.end; begin += tile_entries, ++tile) {
        const auto size = static_cast<unsigned>(min(g.end - begin, offset_t{tile_entries}));
        const uint2 rows = t.tile_rows[tile];
        dealer.take(size);
        unsigned columns[items];
#pragma unroll
        for (unsigned item = 0; item < items; ++item) {
            const unsigned e = dealer.entry(item);
            columns[item] =
                dealer.holds(item, size) ? static_cast<unsigned>(__ldcs(a.columns + begin + e)) : 0;
        }
        dealer.begin(true);
        __syncthreads();
        device_marks::mark_rows(a.offsets, rows, begin, size, tile_entries, room.marks());
        __syncthreads();
        unsigned before = mark_before_warp(room, dealer);
        const unsigned first_row = rows.x - (g.window << l.row_bits);
#pragma unroll
        for (unsigned item = 0; item < items; item += together) {
            if (item >= dealer.used()) break;
            unsigned digit[together], key[together];
#pragma unroll
            for (unsigned n = 0; n < together; ++n) {
                const unsigned column = columns[item + n],
                               row = first_row +
                                     device_marks::last_mark(room.marks()[dealer.entry(item + n)], before);
                digit[n] = column >> l.column_bits;
                key[n] = (column & low_columns) << l.row_bits | row;
            }
            dealer.count(item, size, digit, key);
        }
        dealer.finish(size, from + begin, keys, values);
    }
}

/// Offsets where buckets are columns.
__global__ void column_starts_kernel(deal_layout l, deal_tables t, offsets_out offsets) {
    const offset_t j = device_passes::thread_number();
    if (j <= l.columns) offsets.put(j, t.starts[j]);
}

/// A part of a bucket: entries [begin, end) of those that were dealt.
struct bucket_part {
    unsigned bucket, number, parts, begin, end;
};
__device__ inline bucket_part part_of(const deal_tables& t, unsigned part) {
    const unsigned bucket = t.part_buckets[part], first = t.part_firsts[bucket],
                   parts = t.part_firsts[bucket + 1] - first, start = t.starts[bucket],
                   size = t.starts[bucket + 1] - start, number = part - first, more = size % parts;
    const auto before = [&](unsigned n) { return start + n * (size / parts) + min(n, more); };
    return {bucket, number, parts, before(number), before(number + 1)};
}

__global__ void __launch_bounds__(deal_threads) count_parts_kernel(deal_layout l, deal_tables t) {
    __shared__ unsigned counts[1 << most_digit_bits];
    if (blockIdx.x >= t.part_firsts[l.buckets]) return;
    const bucket_part p = part_of(t, blockIdx.x);
    if (p.parts == 1) return;
    count_digits(t.keys + p.begin, p.end - p.begin, 1u << l.column_bits, counts,
                 [&](unsigned key) { return key >> l.row_bits; });
    unsigned* row =
        t.split_places + (static_cast<std::size_t>(t.split_firsts[p.bucket] + p.number) << l.column_bits);
    for (unsigned j = threadIdx.x; j >> l.column_bits == 0; j += deal_threads) row[j] = counts[j];
}

/// Counts of a bucket's columns become places, from `start`. All threads call it; ends with a barrier.
template <int Digits>
__device__ void place_columns(unsigned* counts, unsigned start, unsigned* sums) {
    constexpr unsigned own = Digits / (4 * deal_threads);
    auto* mine = reinterpret_cast<uint4*>(counts) + threadIdx.x * own;
    unsigned sum = 0, all;
    for (unsigned k = 0; k < own; ++k) sum += mine[k].x + mine[k].y + mine[k].z + mine[k].w;
    unsigned before = start + exclusive_sum<deal_warps>(sum, sums, all);
    for (unsigned k = 0; k < own; ++k) {
        const uint4 count = mine[k], at{before, before + count.x, before + count.x + count.y,
                                        before + count.x + count.y + count.z};
        mine[k] = at;
        before = at.w + count.w;
    }
    __syncthreads();
}
__device__ inline void put_offsets(const deal_layout& l, unsigned bucket, const unsigned* places,
                                   offsets_out offsets) {
    const offset_t first = offset_t{bucket} << l.column_bits;
    for (unsigned j = threadIdx.x; j >> l.column_bits == 0 && first + j < l.columns; j += deal_threads)
        offsets.put(first + j, places[j]);
    if (bucket + 1 == l.buckets && threadIdx.x == 0) offsets.put(l.columns, static_cast<unsigned>(l.nnz));
}

/// A block a bucket, of which those in several parts have work: places of all parts, and offsets.
__global__ void __launch_bounds__(deal_threads)
    place_parts_kernel(deal_layout l, deal_tables t, offsets_out offsets) {
    constexpr int digits = 1 << most_digit_bits;
    __shared__ __align__(16) unsigned places[digits];
    __shared__ unsigned sums[deal_warps];
    const unsigned bucket = blockIdx.x, parts = t.split_firsts[bucket + 1] - t.split_firsts[bucket],
                   width = 1u << l.column_bits;
    if (parts == 0) return;
    unsigned* rows = t.split_places + (static_cast<std::size_t>(t.split_firsts[bucket]) << l.column_bits);
    for (unsigned j = threadIdx.x; j < digits; j += deal_threads) {
        unsigned sum = 0;
        if (j < width)
            for_each_count(rows + j, parts, width, [&](unsigned&, unsigned count) { sum += count; });
        places[j] = sum;
    }
    __syncthreads();
    place_columns<digits>(places, t.starts[bucket], sums);
    put_offsets(l, bucket, places, offsets);
    for (unsigned j = threadIdx.x; j < width; j += deal_threads) {
        unsigned before = places[j];
        for_each_count(rows + j, parts, width, [&](unsigned& at, unsigned count) {
            at = before;
            before += count;
        });
    }
}

/// The window of an entry that was dealt to place `at`: the last that begins at or before it in the bucket.
__device__ inline unsigned window_of(const unsigned* begins, unsigned windows, unsigned at) {
    unsigned low = 0, high = windows;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (begins[middle] <= at ? low : high) = middle;
    }
    return low;
}

/// The second deal: a part's entries into the result.
template <int Digits, class Value>
__global__ void __launch_bounds__(deal_threads, 2)
    deal_parts_kernel(deal_layout l, deal_tables t, const Value* from, offsets_out offsets, unsigned* rows,
                      Value* values) {
    extern __shared__ uint4 deal_memory[];
    const tile_room<Digits, Value> room(deal_memory);
    if (blockIdx.x >= t.part_firsts[l.buckets]) return;
    const bucket_part p = part_of(t, blockIdx.x);
    unsigned *places = room.places(), *window_begins = room.rest();
    if (l.windows > 1)
        for (unsigned w = threadIdx.x; w < l.windows; w += deal_threads) {
            const unsigned group = t.window_groups[w];
            window_begins[w] = group < t.window_groups[l.windows]
                                   ? t.places[static_cast<std::size_t>(group) * l.buckets + p.bucket]
                                   : p.end;
        }
    if (p.parts == 1) {
        count_digits(t.keys + p.begin, p.end - p.begin, Digits, places,
                     [&](unsigned key) { return key >> l.row_bits; });
        place_columns<Digits>(places, p.begin, room.sums());
        put_offsets(l, p.bucket, places, offsets);
    } else {
        const unsigned* row =
            t.split_places + (static_cast<std::size_t>(t.split_firsts[p.bucket] + p.number) << l.column_bits);
        for (unsigned j = threadIdx.x; j < Digits; j += deal_threads)
            places[j] = j >> l.column_bits == 0 ? row[j] : 0;
    }
    tile_dealer<Digits, Value> dealer(room, l.column_bits);
    for (unsigned begin = p.begin; begin < p.end; begin += min(p.end - begin, tile_entries)) {
        const unsigned size = min(p.end - begin, tile_entries);
        dealer.take(size);
        unsigned keys[items];
#pragma unroll
        for (unsigned item = 0; item < items; ++item) {
            const unsigned e = dealer.entry(item);
            keys[item] = dealer.holds(item, size) ? __ldcs(t.keys + (begin + e)) : 0;
        }
        dealer.begin(false);
        __syncthreads();
#pragma unroll
        for (unsigned item = 0; item < items; item += together) {
            if (item >= dealer.used()) break;
            unsigned digit[together], row[together];
#pragma unroll
            for (unsigned n = 0; n < together; ++n) {
                digit[n] = keys[item + n] >> l.row_bits;
                row[n] = keys[item + n] & ((1u << l.row_bits) - 1);
                if (l.windows > 1)
                    row[n] |= window_of(window_begins, l.windows, begin + dealer.entry(item + n))
                              << l.row_bits;
            }
            dealer.count(item, size, digit, row);
        }
        dealer.finish(size, from + begin, rows, values);
    }
}

}  // namespace nz::storage::device_deal
