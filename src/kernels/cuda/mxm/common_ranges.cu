// The ranged rows of mxm/two_level_sort, whose tiles are ranges of columns; the essay stands in two_level_sort.cuh.
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_ranges.cuh"
#include "kernels/cuda/mxm/common_run_search.cuh"
#include "kernels/cuda/mxm/common_tile_keys.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

using plan::mxm_range_parts, plan::mxm_sort_entries;

// A multiprocessor's, of 80 registers a thread.
constexpr int count_blocks = 3;

/// Tiles of a row, by what the survey left.
struct ranged_rows {
    const std::uint8_t* bins;
    const index_t* products;
    device_offsets a;
    index_t rows;

    __device__ offset_t entries(offset_t row) const { return a[row + 1] - a[row]; }
    __device__ offset_t tiles(offset_t row) const {
        if (row == rows || bins[row] >= plan::block_bins) return 0;
        const offset_t n = products[row], of = entries(row);
        return plan::is_ranged(n, of) ? plan::range_tiles(n, of) : 0;
    }
};
struct ranges_of_row {
    ranged_rows of;
    __device__ plan::range_start operator()(offset_t row) const {
        const offset_t tiles = of.tiles(row);
        return {tiles, tiles ? tiles * of.entries(row) : 0};
    }
};
struct range_sum {
    __device__ plan::range_start operator()(const plan::range_start& x, const plan::range_start& y) const {
        return {x.tiles + y.tiles, x.slots + y.slots};
    }
};
struct tiles_before {
    const plan::range_start* ranges;
    __device__ offset_t operator[](offset_t row) const { return ranges[row].tiles; }
};

/// Marks the entries of ranged rows.
__global__ void __launch_bounds__(item_block) mark_ranged_kernel(ranged_rows of, std::uint32_t* ranged) {
    const offset_t row = thread_number();
    if (row >= of.rows || of.tiles(row) == 0) return;
    const offset_t end = of.a[row + 1];
    for (offset_t p = of.a[row]; p < end; p = (p / 32 + 1) * 32) {
        const auto up_to = static_cast<unsigned>(min(end - p / 32 * 32, offset_t{32}));
        atomicOr(ranged + p / 32, ~0u >> (32 - up_to) & ~0u << p % 32);
    }
}

/// The row of each tile, and the rows that there are, in any order.
__global__ void __launch_bounds__(item_block)
    range_rows_kernel(mxm_sort_entries parts, index_t rows, offset_t tiles, mxm_range_parts ranges) {
    const offset_t t = thread_number();
    if (t >= tiles) return;
    const auto row = static_cast<index_t>(last_up_to(tiles_before{parts.ranges}, 0, offset_t{rows} + 1, t));
    ranges.rows[t] = row;
    if (parts.ranges[row].tiles == t) ranges.listed[atomicAdd(ranges.rows_listed, 1)] = row;
}

constexpr int cuts_block = 512, cuts_warps = cuts_block / 32, bin_bits = 12, column_bins = 1 << bin_bits,
              bins_each = column_bins / cuts_block;

/// A counter's place: a thread's neighbouring ones lie in other banks than another's.
__device__ constexpr unsigned place_of_bin(unsigned bin) { return bin + bin / bins_each; }
struct counted_bins {
    const int* up_to;
    __device__ int operator[](offset_t bin) const { return up_to[place_of_bin(static_cast<unsigned>(bin))]; }
};

/// A block counts a row's products by columns, as many neighbouring ones together as 4,096 counters ask for; each range begins in those
/// up to which there are more than the ranges before share.
__global__ void __launch_bounds__(cuts_block)
    range_cuts_kernel(device_mxm_side a, device_mxm_side b, mxm_sort_entries parts, mxm_range_parts ranges) {
    __shared__ int up_to[place_of_bin(column_bins)];
    __shared__ int warp_totals[cuts_warps];
    __shared__ unsigned low, high;
    if (static_cast<int>(blockIdx.x) >= *ranges.rows_listed) return;
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    const index_t row = ranges.listed[blockIdx.x];
    const offset_t entry = a.offsets[row], end = a.offsets[row + offset_t{1}];
    for (unsigned i = threadIdx.x; i < place_of_bin(column_bins); i += cuts_block) up_to[i] = 0;
    if (t == 0) {
        low = ~0u;
        high = 0;
    }
    __syncthreads();
    for (offset_t p = entry + t; p < end; p += cuts_block) {
        const offset_t k = __ldg(a.columns + p), from = b.offsets[k], to = b.offsets[k + 1];
        if (from == to) continue;
        atomicMin(&low, static_cast<unsigned>(__ldg(b.columns + from)));
        atomicMax(&high, static_cast<unsigned>(__ldg(b.columns + to - 1)));
    }
    __syncthreads();
    const int shift = max(bit_width(high - low) - bin_bits, 0);
    // Warps take entries by turns, and each knows of 32 at a time where their rows of B lie.
    for (offset_t base = entry + warp; base < end; base += cuts_block) {
        const offset_t p = base + cuts_warps * lane;
        offset_t from = 0, to = 0;
        if (p < end) {
            const offset_t k = __ldg(a.columns + p);
            from = b.offsets[k];
            to = b.offsets[k + 1];
        }
        for (unsigned left = __ballot_sync(full_warp, from < to); left; left &= left - 1) {
            const int of = __ffs(static_cast<int>(left)) - 1;
            const offset_t last = __shfl_sync(full_warp, to, of);
#pragma unroll 4
            for (offset_t q = __shfl_sync(full_warp, from, of) + lane; q < last; q += 32)
                atomicAdd(up_to + place_of_bin((static_cast<unsigned>(__ldg(b.columns + q)) - low) >> shift),
                          1);
        }
    }
    __syncthreads();
    int own[bins_each], sum = 0;
#pragma unroll
    for (int i = 0; i < bins_each; ++i) own[i] = sum += up_to[place_of_bin(threadIdx.x * bins_each + i)];
    int before = sum_up_to<32>(sum);
    if (lane == 31) warp_totals[warp] = before;
    __syncthreads();
    before -= sum;
    int products = 0;
    for (int w = 0; w < cuts_warps; ++w) {
        before += w < warp ? warp_totals[w] : 0;
        products += warp_totals[w];
    }
#pragma unroll
    for (int i = 0; i < bins_each; ++i) up_to[place_of_bin(threadIdx.x * bins_each + i)] = before + own[i];
    __syncthreads();
    const offset_t first = parts.ranges[row].tiles, tiles = parts.ranges[row + offset_t{1}].tiles - first;
    for (offset_t n = t; n < tiles; n += cuts_block) {
        const auto wanted = static_cast<int>(plan::range_target(products, tiles, n));
        const auto bin = static_cast<unsigned>(last_up_to(counted_bins{up_to}, 0, column_bins, wanted) + 1);
        const unsigned from = low + (bin << shift), size = 1u << shift;
        ranges.cuts[first + n] = {static_cast<index_t>(from),
                                  static_cast<index_t>(min(from + size - 1, high)), wanted};
    }
}

constexpr int bound_block = 128, bound_warps = bound_block / 32;
constexpr int looks = 3;  // columns that a step counts at once

/// A block finds where a range begins: looks for the column, of those that it may be, of which up to each a step counts in all rows of B
/// that the row's entries read.
__global__ void __launch_bounds__(bound_block)
    range_bounds_kernel(device_mxm_side a, device_mxm_side b, mxm_sort_entries parts,
                        mxm_range_parts ranges) {
    __shared__ run_search<index_t, looks> kept[plan::most_ranged_entries];
    __shared__ offset_t from[plan::most_ranged_entries];
    __shared__ int sums[2][bound_warps][looks];
    const int t = static_cast<int>(threadIdx.x), warp = t / 32, lane = t % 32;
    const range_tile tile(parts, ranges, a.offsets, blockIdx.x);
    index_t* const begins = ranges.begins + tile.slot;
    if (blockIdx.x == tile.first) {
        for (int i = t; i < tile.entries; i += bound_block) begins[i] = 0;
        return;
    }
    const plan::range_cut cut = ranges.cuts[blockIdx.x];
    for (int i = t; i < tile.entries; i += bound_block) {
        const offset_t k = __ldg(a.columns + tile.entry + i);
        from[i] = b.offsets[k];
        const index_t* const columns = b.columns + from[i];
        const auto length = static_cast<index_t>(b.offsets[k + 1] - from[i]),
                   before = lower_bound(columns, index_t{0}, length, cut.low);
        index_t up_to = before;  // few, if any
        for (index_t step = 1; up_to < length && __ldg(columns + up_to) <= cut.high; step *= 2)
            up_to = min(length - up_to, step) + up_to;
        kept[i] = {before, up_to, {}};
    }
    // The least column of which, and of those before, there are more than wanted: a step counts up to three columns.
    column_search search{cut.low, cut.high};
    for (int step = 0; !search.found(); ++step) {
        index_t looked[looks];
        search.look(looked);
        int counts[looks] = {};
        for (int i = t; i < tile.entries; i += bound_block) {
            places_before(b.columns + from[i], looked, kept[i]);
#pragma unroll
            for (int k = 0; k < looks; ++k) counts[k] += kept[i].found[k];
        }
        auto& of = sums[step % 2];
#pragma unroll
        for (int k = 0; k < looks; ++k) {
            const unsigned sum = __reduce_add_sync(full_warp, static_cast<unsigned>(counts[k]));
            if (lane == 0) of[warp][k] = static_cast<int>(sum);
        }
        __syncthreads();
        int beyond = looks;  // the first look with more than wanted
#pragma unroll
        for (int k = looks - 1; k >= 0; --k) {
            int sum = 0;
            for (int w = 0; w < bound_warps; ++w) sum += of[w][k];
            if (sum > cut.wanted) beyond = k;
        }
        for (int i = t; i < tile.entries; i += bound_block) kept[i].narrow(beyond);
        search.take(looked, beyond);
    }
    for (int i = t; i < tile.entries; i += bound_block)
        begins[i] = lower_bound(b.columns + from[i], kept[i].low, kept[i].high, search.low);
}

struct range_memory : order_memory {
    range_pieces pieces;
};

__global__ void __launch_bounds__(sort_block, count_blocks)
    range_count_kernel(device_mxm_side a, device_mxm_side b, mxm_sort_entries parts, mxm_range_parts ranges) {
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<range_memory*>(shared_tiles);
    if (threadIdx.x == 0) {
        m.low = ~0u;
        m.high = 0;
    }
    int piece[sort_each];
    const auto found = find_range(range_tile(parts, ranges, a.offsets, blockIdx.x), ranges, a, b.offsets,
                                  m.begins, m.warp_last, m.pieces, piece);
    unsigned column[sort_each], low = ~0u, high = 0;
    // Some at a time, so that their reads wait together: products beyond the last read what it does.
    constexpr int together = 8;
#pragma unroll
    for (int some = 0; some < sort_each; some += together) {
        offset_t at[together];
#pragma unroll
        for (int i = 0; i < together; ++i)
            at[i] = m.pieces.of_b[piece[some + i]] + min(number_in_tile(some + i), found.places - 1);
#pragma unroll
        for (int i = 0; i < together; ++i) column[some + i] = static_cast<unsigned>(__ldg(b.columns + at[i]));
    }
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        low = min(low, column[r]);
        high = max(high, column[r]);
    }
    const key_columns columns = columns_of_keys(low, high, m.low, m.high);
    constexpr int no_rank[sort_each] = {};
    const tile_groups pieces{piece, found.pieces};
    const auto in_order = [&]<class Key>(std::type_identity<Key>) {
        unsigned firsts[sort_each];
        int number[sort_each];
        return take_turns(m,
                          sort_keys<Key>(m.keys, found.places, 1, columns, columns.bits, no_rank, column,
                                         pieces, m.warp_totals),
                          found.places, firsts, number);
    };
    const int places = columns.bits + sort_tile_bits <= 32 ? in_order(std::type_identity<std::uint32_t>())
                                                           : in_order(std::type_identity<std::uint64_t>());
    leave_order(m, ranges.orders, blockIdx.x);
    if (threadIdx.x == 0) ranges.places[blockIdx.x] = places;
}

struct places_of_range {
    const index_t* places;
    offset_t tiles;
    __device__ offset_t operator()(offset_t t) const { return t == tiles ? 0 : places[t]; }
};
/// Entries of ranged rows.
__global__ void __launch_bounds__(item_block)
    range_entries_kernel(index_t rows, mxm_sort_entries parts, mxm_range_parts ranges, index_t* counts) {
    const offset_t row = thread_number();
    if (row >= rows) return;
    const offset_t first = parts.ranges[row].tiles, end = parts.ranges[row + 1].tiles;
    if (first < end)
        counts[row] = static_cast<index_t>(ranges.place_starts[end] - ranges.place_starts[first]);
}

}  // namespace

std::size_t range_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveScan(nullptr, bytes, counted(ranges_of_row{}),
                                         static_cast<plan::range_start*>(nullptr), range_sum{},
                                         plan::range_start{}, offset_t{rows} + 1));
    return bytes;
}

void range_rows(const device_mxm_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const mxm_sort_entries parts = sort_entries_of(k);
    const plan::mxm_device_parts rows(k.row_parts, k.rows, k.scan_bytes);
    const ranged_rows of{rows.bins, rows.counts, device_mxm_side(k.a, 0).offsets, k.rows};
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::ExclusiveScan(parts.scan, bytes, counted(ranges_of_row{of}), parts.ranges,
                                         range_sum{}, plan::range_start{}, offset_t{k.rows} + 1, on));
    check(cudaMemsetAsync(parts.ranged, 0,
                          static_cast<std::size_t>((k.a_entries + 31) / 32) * sizeof *parts.ranged, on));
    mark_ranged_kernel<<<blocks_of(k.rows), item_block, 0, on>>>(of, parts.ranged);
    check(cudaGetLastError());
}

void range_count(const device_mxm_arguments& k, index_t* counts, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const mxm_sort_entries parts = sort_entries_of(k);
    const mxm_range_parts ranges = range_parts_of(k);
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    const auto tiles = static_cast<unsigned>(k.range_tiles);
    check(cudaMemsetAsync(ranges.rows_listed, 0, sizeof *ranges.rows_listed, on));
    range_rows_kernel<<<blocks_of(tiles), item_block, 0, on>>>(parts, k.rows, tiles, ranges);
    range_cuts_kernel<<<tiles / 2, cuts_block, 0, on>>>(a, b, parts, ranges);  // a row has two at least
    range_bounds_kernel<<<tiles, bound_block, 0, on>>>(a, b, parts, ranges);
    allow_shared(range_count_kernel, sizeof(range_memory));
    range_count_kernel<<<tiles, sort_block, sizeof(range_memory), on>>>(a, b, parts, ranges);
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(parts.scan, bytes,
                                        counted(places_of_range{ranges.places, k.range_tiles}),
                                        ranges.place_starts, k.range_tiles + 1, on));
    range_entries_kernel<<<blocks_of(k.rows), item_block, 0, on>>>(k.rows, parts, ranges, counts);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
