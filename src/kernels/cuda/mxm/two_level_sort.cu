// The steps of mxm/two_level_sort that are the same for all semirings; the essay stands in two_level_sort.cuh.
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_tile_keys.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

using plan::mxm_sort_parts, plan::sort_tile, plan::sort_tile_bits;

// A multiprocessor's, of 128 registers a thread to begin with.
constexpr int sort_blocks = 3;
cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

/// Those that tiles take as they come.
struct products_of_entry {
    const index_t* columns;
    device_offsets b;
    const std::uint32_t* ranged;  // or null
    __device__ offset_t operator()(offset_t p) const {
        const std::uint32_t skipped = ranged ? ranged[p / 32] >> p % 32 & 1 : 0;
        const offset_t k = __ldg(columns + p), products = b[k + 1] - b[k];  // reads that wait together
        return skipped ? 0 : products;
    }
};

/// The row of each entry of A, and where its products read B.
__global__ void __launch_bounds__(item_block)
    entries_kernel(device_mxm_side a, device_offsets b, index_t rows, offset_t entries,
                   plan::mxm_sort_entries parts) {
    __shared__ offset_t ends[2];
    const offset_t first = offset_t{blockIdx.x} * item_block, p = first + threadIdx.x;
    if (threadIdx.x < 2)
        ends[threadIdx.x] = last_up_to(a.offsets, 0, offset_t{rows} + 1,
                                       threadIdx.x ? min(first + item_block, entries) - 1 : first);
    __syncthreads();
    if (p >= entries) return;
    parts.rows[p] = static_cast<index_t>(last_up_to(a.offsets, ends[0], ends[1] + 1, p));
    parts.of_b[p] = b[__ldg(a.columns + p)] - parts.starts[p];
}

/// Where tiles begin in A, and which rows that cuts.
__global__ void __launch_bounds__(item_block)
    tiles_kernel(device_mxm_side a, offset_t entries, offset_t tiles, mxm_sort_parts parts) {
    const offset_t t = thread_number();
    if (t > tiles) return;
    const offset_t first = t * sort_tile;
    offset_t entry = entries;
    index_t cut = -1;
    if (t < tiles) {
        entry = last_up_to(parts.starts, 0, entries + 1, first);
        const index_t row = parts.rows[entry];
        if (const offset_t begin = parts.starts[a.offsets[row]]; begin < first) {
            cut = row;
            const offset_t tiles_of_row = t - begin / sort_tile + 1;
            if (tiles_of_row > 2)
                atomicMax(reinterpret_cast<unsigned long long*>(parts.most_runs),
                          static_cast<unsigned long long>(tiles_of_row));
        }
    }
    parts.entries[t] = entry;
    parts.cut_rows[t] = cut;
}

struct begins_cut_row {
    const index_t* cut_rows;
    __device__ index_t operator()(offset_t t) const {
        return cut_rows[t] >= 0 && (t == 0 || cut_rows[t] != cut_rows[t - 1]);
    }
};
/// Products of cut rows in a tile.
struct room_of_tile {
    mxm_sort_parts parts;
    device_offsets a;
    offset_t products, tiles;
    __device__ offset_t operator()(offset_t t) const {
        if (t == tiles) return 0;
        const offset_t begin = t * sort_tile, end = min(begin + sort_tile, products);
        const index_t first = parts.cut_rows[t], last = parts.cut_rows[t + 1];
        if (first >= 0 && first == last) return end - begin;
        offset_t room = 0;
        if (first >= 0) room += min(end, parts.starts[a[first + offset_t{1}]]) - begin;
        if (last >= 0) room += end - max(begin, parts.starts[a[last]]);
        return room;
    }
};
struct places_of_tile {
    const index_t *first, *last;
    offset_t tiles;
    __device__ offset_t operator()(offset_t t) const { return t == tiles ? 0 : first[t] + last[t]; }
};
/// A tile's block in shared memory.
struct tile_memory : order_memory {
    index_t rows[sort_tile];                   // of each rank
    std::uint16_t rank_starts[sort_tile + 1];  // products before each rank's, then places
};

/// What is left of a tile when its keys are in order.
struct tile_result {
    index_t *counts, *columns;
    index_t first_cut, last_cut;  // the rows that the tile's ends cut, or -1
};

/// Sorts a tile's keys by `bits` of rank and column; leaves each product's turn, the entries of the rows that are not cut, and the
/// columns of those that are.
template <class Key>
__device__ void sort_tile_keys(tile_memory& m, const mxm_sort_parts& parts, const product_tile& tile,
                               int ranks, const key_columns& columns, int bits, const int (&rank)[sort_each],
                               const unsigned (&column)[sort_each], const tile_groups& entries,
                               const tile_result& to) {
    const int t = static_cast<int>(threadIdx.x), lane = t % 32;
    const Key* const keys =
        sort_keys<Key>(m.keys, tile.products, ranks, columns, bits, rank, column, entries, m.warp_totals);
    unsigned firsts[sort_each];
    int number[sort_each];
    const int places = take_turns(m, keys, tile.products, firsts, number);
    // A rank's products have the same turns as they have numbers, in another order.
    for (int k = t; k < ranks; k += sort_block)
        m.rank_starts[k] = static_cast<std::uint16_t>(m.places_before(m.rank_starts[k]));
    if (t == 0) m.rank_starts[ranks] = static_cast<std::uint16_t>(places);
    leave_order(m, parts.orders, blockIdx.x);
    __syncthreads();
    const bool all_of_one = ranks == 1 && to.first_cut >= 0;
    const int first_places = to.first_cut >= 0 ? m.rank_starts[1] : 0,
              last_from = to.last_cut >= 0 && !all_of_one ? m.rank_starts[ranks - 1] : places;
    index_t* const cut_columns = to.columns + parts.rooms[blockIdx.x];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int at = number[r] - 1;
        if (!(firsts[r] >> lane & 1) || (at >= first_places && at < last_from)) continue;
        cut_columns[at < first_places ? at : first_places + (at - last_from)] =
            columns.of(keys[number_in_tile(r)]);
    }
    const int own_begin = to.first_cut >= 0, own_end = ranks - (last_from < places);
    for (int n = own_begin + t; n < own_end; n += sort_block)
        to.counts[m.rows[n]] = m.rank_starts[n + 1] - m.rank_starts[n];
    if (t == 0) {
        parts.first_places[blockIdx.x] = first_places;
        parts.last_places[blockIdx.x] = places - last_from;
    }
}

__global__ void __launch_bounds__(sort_block, sort_blocks)
    two_level_sort_count_kernel(const index_t* b_columns, offset_t a_entries, offset_t products,
                                mxm_sort_parts parts, index_t* counts, index_t* cut_columns) {
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<tile_memory*>(shared_tiles);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const product_tile tile(parts, blockIdx.x, products, a_entries);
    if (threadIdx.x == 0) {
        m.low = ~0u;
        m.high = 0;
    }
    int owner[sort_each];
    const int before = find_owners(parts, tile, m.begins, m.warp_last, owner);
    index_t row[sort_each];
    unsigned column[sort_each], changes[sort_each], low = ~0u, high = 0;
    // Some at a time, so that their reads wait together: products beyond the last read what it does.
    constexpr int together = 8;
#pragma unroll
    for (int some = 0; some < sort_each; some += together) {
        offset_t at[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const offset_t p = tile.entry + owner[some + i];
            row[some + i] = parts.rows[p];
            at[i] = parts.of_b[p] + tile.first + min(number_in_tile(some + i), tile.products - 1);
        }
#pragma unroll
        for (int i = 0; i < together; ++i) column[some + i] = static_cast<unsigned>(__ldg(b_columns + at[i]));
    }
    index_t previous = parts.rows[tile.entry + before];
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        low = min(low, column[r]);
        high = max(high, column[r]);
        const index_t up = __shfl_up_sync(full_warp, row[r], 1);
        changes[r] =
            __ballot_sync(full_warp, number_in_tile(r) < tile.products && row[r] != (lane ? up : previous));
        previous = __shfl_sync(full_warp, row[r], 31);
    }
    const key_columns columns = columns_of_keys(low, high, m.low, m.high);
    int rank[sort_each];
    const int ranks = number_flags(changes, m.warp_totals, rank) + 1;
#pragma unroll
    for (int r = 0; r < sort_each; ++r)
        if (const int n = number_in_tile(r); n == 0 || changes[r] >> lane & 1) {
            m.rows[rank[r]] = row[r];
            m.rank_starts[rank[r]] = static_cast<std::uint16_t>(n);
        }
    const int bits = columns.bits + bit_width(static_cast<unsigned>(ranks - 1));
    const tile_groups entries{owner, tile.entries};
    const tile_result to{counts, cut_columns, parts.cut_rows[blockIdx.x], parts.cut_rows[blockIdx.x + 1]};
    if (bits + sort_tile_bits <= 32)
        sort_tile_keys<std::uint32_t>(m, parts, tile, ranks, columns, bits, rank, column, entries, to);
    else
        sort_tile_keys<std::uint64_t>(m, parts, tile, ranks, columns, bits, rank, column, entries, to);
}

}  // namespace

std::size_t two_level_sort_scan_bytes(offset_t a_entries, index_t rows, offset_t products) {
    std::size_t entries = 0, tiles = 0;
    offset_t* const at = nullptr;
    // Tiles of ranged rows may be nearly twice as many.
    check(cub::DeviceScan::InclusiveSum(nullptr, entries, counted(products_of_entry{}), at, a_entries));
    check(cub::DeviceScan::ExclusiveSum(nullptr, tiles, counted(places_of_tile{}), at,
                                        plan::most_range_tiles(products) + 1));
    return std::max(
        {entries * 2, tiles * 2, range_scan_bytes(rows)});  // the other scans are of the same lengths
}

void two_level_sort_entries(const device_mxm_arguments& k, void* stream) {
    const auto on = stream_of(stream);
    const plan::mxm_sort_entries parts = sort_entries_of(k);
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    if (k.ranged) range_rows(k, stream);
    check(cudaMemsetAsync(parts.starts, 0, sizeof(offset_t), on));
    if (k.a_entries == 0) return;
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::InclusiveSum(
        parts.scan, bytes,
        counted(products_of_entry{a.columns, b.offsets, k.ranged ? parts.ranged : nullptr}), parts.starts + 1,
        k.a_entries, on));
    entries_kernel<<<blocks_of(k.a_entries), item_block, 0, on>>>(a, b.offsets, k.rows, k.a_entries, parts);
    check(cudaGetLastError());
}

void two_level_sort_expand(const device_mxm_arguments& k, void* stream) {
    const auto on = stream_of(stream);
    const mxm_sort_parts parts = sort_parts_of(k);
    const plan::mxm_device_parts rows(k.row_parts, k.rows, k.scan_bytes);
    const device_mxm_side a(k.a, 0);
    const offset_t tiles = plan::sort_tiles(k.products);
    check(cudaMemsetAsync(rows.counts, 0, (static_cast<std::size_t>(k.rows) + 1) * sizeof(index_t), on));
    check(cudaMemsetAsync(parts.most_runs, 0, sizeof(offset_t), on));
    if (tiles == 0) {
        check(cudaMemsetAsync(parts.rooms, 0, sizeof(offset_t), on));
        return check(cudaMemsetAsync(parts.ranks, 0, sizeof(index_t), on));
    }
    tiles_kernel<<<blocks_of(tiles + 1), item_block, 0, on>>>(a, k.a_entries, tiles, parts);
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::InclusiveSum(parts.scan, bytes, counted(begins_cut_row{parts.cut_rows}),
                                        parts.ranks, tiles + 1, on));
    check(cub::DeviceScan::ExclusiveSum(parts.scan, bytes,
                                        counted(room_of_tile{parts, a.offsets, k.products, tiles}),
                                        parts.rooms, tiles + 1, on));
    check(cudaGetLastError());
}

void two_level_sort_count(const device_mxm_arguments& k, void* stream) {
    const auto on = stream_of(stream);
    const mxm_sort_parts parts = sort_parts_of(k);
    const plan::mxm_device_parts rows(k.row_parts, k.rows, k.scan_bytes);
    const offset_t tiles = plan::sort_tiles(k.products);
    if (k.range_tiles > 0) range_count(k, rows.counts, stream);
    if (tiles == 0) return check(cudaMemsetAsync(parts.cut_starts, 0, sizeof(offset_t), on));
    allow_shared(two_level_sort_count_kernel, sizeof(tile_memory));
    two_level_sort_count_kernel<<<static_cast<unsigned>(tiles), sort_block, sizeof(tile_memory), on>>>(
        k.b.columns, k.a_entries, k.products, parts, rows.counts, k.cut_columns);
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(parts.scan, bytes,
                                        counted(places_of_tile{parts.first_places, parts.last_places, tiles}),
                                        parts.cut_starts, tiles + 1, on));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
