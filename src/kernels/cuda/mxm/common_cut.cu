// The second level of mxm/two_level_sort: places of rows that tiles cut, once more in tiles; the essay stands in two_level_sort.cuh.
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_cut.cuh"
#include "kernels/cuda/mxm/common_run_search.cuh"
#include "kernels/cuda/mxm/common_tile_keys.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

using plan::mxm_cut_parts, plan::mxm_sort_parts;

// A multiprocessor's, of 80 registers a thread.
constexpr int cut_blocks = 3;

mxm_cut_parts cut_parts_of(const device_mxm_arguments& k) {
    return {k.cut_memory, k.cut_places, k.cut_rows, k.cut_runs, k.products, k.value_bytes, k.cut_sort_bytes};
}

/// The rows that are cut, and in which tiles each begins and ends.
__global__ void __launch_bounds__(item_block)
    two_level_cut_rows_kernel(mxm_sort_parts parts, offset_t tiles, mxm_cut_parts cut) {
    const offset_t t = thread_number();
    if (t >= tiles || parts.cut_rows[t] < 0) return;
    const index_t row = parts.cut_rows[t], rank = parts.ranks[t] - 1;
    if (parts.cut_rows[t - 1] != row) {  // none is cut where the first tile begins
        cut.row_of_rank[rank] = row;
        cut.first_tile[rank] = static_cast<index_t>(t) - 1;
    }
    if (parts.cut_rows[t + 1] != row) cut.last_tile[rank] = static_cast<index_t>(t);
}
struct runs_of_row {
    const index_t *first_tile, *last_tile;
    index_t rows;
    __device__ index_t operator()(offset_t rank) const {
        return rank == rows ? 0 : last_tile[rank] - first_tile[rank] + 1;
    }
};

/// A tile's runs: of the row that it begins with, and of that which it ends with, where these are cut.
__global__ void __launch_bounds__(item_block)
    two_level_cut_runs_kernel(mxm_sort_parts parts, offset_t tiles, mxm_cut_parts cut) {
    const offset_t t = thread_number();
    if (t >= tiles) return;
    const offset_t room = parts.rooms[t], start = parts.cut_starts[t];
    const index_t first = parts.first_places[t], last = parts.last_places[t];
    if (first > 0) {
        const index_t rank = parts.ranks[t] - 1;
        cut.runs[cut.run_starts[rank] + static_cast<index_t>(t) - cut.first_tile[rank]] = {room, start, first,
                                                                                           rank};
    }
    if (last > 0) {
        const index_t rank = parts.ranks[t + 1] - 1;
        cut.runs[cut.run_starts[rank]] = {room + first, start + first, last, rank};
    }
}

constexpr int bound_warps = 4, bound_block = bound_warps * 32;

constexpr int looks = 3;  // columns that a step counts at once
using place_search = run_search<std::uint16_t, looks>;
static_assert(bound_warps * plan::most_cut_runs * sizeof(place_search) <= 48 * 1024);

/// A warp finds a bound: looks for the column, of which up to each a step counts in all of the row's runs, and then takes the run among
/// those that have it.
__global__ void __launch_bounds__(bound_block)
    two_level_cut_bounds_kernel(const index_t* columns, offset_t places, index_t width, index_t rows,
                                mxm_cut_parts cut) {
    extern __shared__ uint4 shared_runs[];  // [bound_warps][runs_at_most]
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const offset_t tile = offset_t{blockIdx.x} * bound_warps + warp, at = min(tile * sort_tile, places);
    if (tile > plan::mxm_cut_tiles(places)) return;
    if (at == places) {
        if (lane == 0) cut.bounds[tile] = {rows, cut.run_starts[rows], cut.run_starts[rows]};
        return;
    }
    // The run that holds the place: the last that begins up to it.
    index_t run = 0, left = cut.run_starts[rows];
    while (left > 1) {
        const index_t step = (left + 31) / 32, look = lane * step;
        const bool before = look < left && cut.runs[run + look].sums <= at;
        const index_t last = (__popc(__ballot_sync(full_warp, before)) - 1) * step;
        run += last;
        left = min(step, left - last);
    }
    const index_t rank = cut.runs[run].rank, first_run = cut.run_starts[rank],
                  runs = cut.run_starts[rank + 1] - first_run;
    const offset_t wanted = at - cut.runs[first_run].sums;
    if (wanted == 0) {
        if (lane == 0) cut.bounds[tile] = {rank, first_run, first_run + runs};
        return;
    }
    place_search* const kept = reinterpret_cast<place_search*>(shared_runs) + warp * cut.runs_at_most;
    for (index_t i = lane; i < runs; i += 32)
        kept[i] = {0, static_cast<std::uint16_t>(cut.runs[first_run + i].places), {}};
    const auto sum = [](int x) {  // a row has 2^22 places at most
        return static_cast<offset_t>(__reduce_add_sync(full_warp, static_cast<unsigned>(x)));
    };
    // The least column of which, and of those before, there are more than wanted: a step counts up to three columns.
    column_search step{0, width - 1};
    while (!step.found()) {
        index_t looked[looks];
        step.look(looked);
        int counts[looks] = {};
        for (index_t i = lane; i < runs; i += 32) {
            places_before(columns + cut.runs[first_run + i].columns, looked, kept[i]);
#pragma unroll
            for (int k = 0; k < looks; ++k) counts[k] += kept[i].found[k];
        }
        int beyond = looks;  // the first look with more than wanted
#pragma unroll
        for (int k = looks - 1; k >= 0; --k)
            if (sum(counts[k]) > wanted) beyond = k;
        for (index_t i = lane; i < runs; i += 32) kept[i].narrow(beyond);
        step.take(looked, beyond);
    }
    const index_t low = step.low;
    const auto before_it = [&](index_t i) {
        return lower_bound(columns + cut.runs[first_run + i].columns, int{kept[i].low}, int{kept[i].high},
                           low);
    };
    int count = 0;
    for (index_t i = lane; i < runs; i += 32) count += before_it(i);
    offset_t skipped = wanted - sum(count);
    const bool continues = skipped > 0;
    index_t found = runs;  // the run whose place the bound lies before; those of earlier runs do too
    for (index_t first = 0; first < runs; first += 32) {
        const index_t i = first + lane;
        int place = 0;
        bool has = false;
        if (i < runs) {
            const plan::mxm_cut_run of = cut.runs[first_run + i];
            place = before_it(i);
            has = place < of.places && __ldg(columns + of.columns + place) == low;
        }
        const unsigned having = __ballot_sync(full_warp, has);
        const int here = __popc(having);
        if (found == runs && skipped < here)
            found = first + static_cast<index_t>(__fns(having, 0, static_cast<int>(skipped) + 1));
        skipped -= here;
        if (i < runs)
            cut.bound_places[tile * cut.runs_at_most + i] =
                static_cast<std::uint16_t>(place + (has && i < found));
    }
    if (lane == 0) cut.bounds[tile] = {rank, first_run, first_run + runs, false, continues};
}

/// A tile of places in shared memory.
struct cut_memory {
    union {
        cut_pieces pieces;
        tile_keys keys;
    };
    std::uint32_t sources[plan::sort_tile];
    int warp_last[sort_warps], warp_totals[sort_warps];
    unsigned low, high;
};

/// Leaves where the places' sums stand, in order, and how many distinct places the tile has, and has before each row that begins there.
template <class Key>
__device__ void sort_cut_keys(cut_memory& m, const mxm_cut_parts& cut, const cut_tile& tile,
                              const key_columns& columns, int bits, const int (&row)[sort_each],
                              const unsigned (&column)[sort_each], const tile_groups& pieces) {
    const int t = static_cast<int>(threadIdx.x);
    const Key* const keys = sort_keys<Key>(m.keys, tile.places, tile.last_rank - tile.from.rank + 1, columns,
                                           bits, row, column, pieces, m.warp_totals);
    const auto row_of = [&](Key x) { return static_cast<index_t>(x >> sort_tile_bits >> columns.bits); };
    unsigned firsts[sort_each];
    int number[sort_each];
    mark_firsts(keys, tile.places, firsts);
    if (t < 32 && tile.from.continues) firsts[0] &= ~1u;
    const int all = number_flags(firsts, m.warp_totals, number);
    const bool rows = !tile.of_one_row();
    std::uint32_t* const sources = cut.sources + tile.first;
    index_t* const places = cut.columns + tile.first;
    if (t == 0 && tile.from.begins_row) cut.row_firsts[tile.from.rank] = 0;
#pragma unroll
    for (int r = 0; r < sort_each; ++r) {
        const int n = number_in_tile(r);
        if (n >= tile.places) continue;
        const Key key = keys[n];
        std::uint32_t source = m.sources[number_of(key)];
        if (firsts[r] >> t % 32 & 1) {
            source |= plan::source_first;
            places[number[r] - 1] = columns.of(key);
            if (rows && n > 0 && row_of(key) != row_of(keys[n - 1])) {
                source |= plan::source_row;
                cut.row_firsts[tile.from.rank + row_of(key)] = number[r] - 1;
            }
        }
        sources[n] = source;
    }
    if (t == 0) cut.tile_firsts[blockIdx.x] = all;
}

__global__ void __launch_bounds__(sort_block, cut_blocks)
    two_level_cut_count_kernel(const index_t* columns, offset_t places, mxm_cut_parts cut) {
    extern __shared__ uint4 shared_tiles[];
    auto& m = *reinterpret_cast<cut_memory*>(shared_tiles);
    if (threadIdx.x == 0) {
        m.low = ~0u;
        m.high = 0;
    }
    const cut_tile tile(cut, blockIdx.x, places);
    int piece[sort_each], row[sort_each];
    const tile_groups pieces{piece, find_pieces(cut, tile, m.pieces, m.warp_last, piece)};
    const offset_t first_source = plan::first_source(blockIdx.x);
    unsigned column[sort_each], low = ~0u, high = 0;
    // Some at a time, so that their reads wait together: places beyond the last read what it does.
    constexpr int together = 8;
#pragma unroll
    for (int some = 0; some < sort_each; some += together) {
        offset_t at[together];
        std::uint32_t source[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
            const int r = some + i, place = min(number_in_tile(r), tile.places - 1);
            const plan::mxm_cut_run& run = cut.runs[m.pieces.run[piece[r]]];
            const int in_run = place + m.pieces.shift[piece[r]];
            at[i] = run.columns + in_run;
            row[r] = run.rank - tile.from.rank;
            source[i] = static_cast<std::uint32_t>(run.sums - first_source + in_run);
        }
#pragma unroll
        for (int i = 0; i < together; ++i) column[some + i] = static_cast<unsigned>(__ldg(columns + at[i]));
#pragma unroll
        for (int i = 0; i < together; ++i) {
            m.sources[number_in_tile(some + i)] = source[i];
            low = min(low, column[some + i]);
            high = max(high, column[some + i]);
        }
    }
    const key_columns range = columns_of_keys(low, high, m.low, m.high);
    const int bits = range.bits + bit_width(static_cast<unsigned>(tile.last_rank - tile.from.rank));
    if (bits + sort_tile_bits <= 32)
        sort_cut_keys<std::uint32_t>(m, cut, tile, range, bits, row, column, pieces);
    else
        sort_cut_keys<std::uint64_t>(m, cut, tile, range, bits, row, column, pieces);
}

struct firsts_of_tile {
    const index_t* firsts;
    offset_t tiles;
    __device__ offset_t operator()(offset_t t) const { return t == tiles ? 0 : firsts[t]; }
};

/// Distinct places of cut rows before that of so high a rank.
__device__ offset_t places_before_row(const mxm_cut_parts& cut, index_t rank, index_t rows, offset_t tiles) {
    if (rank == rows) return cut.firsts[tiles];
    return cut.firsts[cut.runs[cut.run_starts[rank]].sums / sort_tile] + cut.row_firsts[rank];
}
/// Entries of cut rows.
__global__ void __launch_bounds__(item_block)
    two_level_cut_entries_kernel(index_t rows, offset_t tiles, mxm_cut_parts cut, index_t* counts) {
    const offset_t rank = thread_number();
    if (rank >= rows) return;
    const auto before = [&](offset_t of) {
        return places_before_row(cut, static_cast<index_t>(of), rows, tiles);
    };
    counts[cut.row_of_rank[rank]] = static_cast<index_t>(before(rank + 1) - before(rank));
}
/// Where they begin.
__global__ void __launch_bounds__(item_block)
    two_level_cut_starts_kernel(index_t rows, offset_t tiles, mxm_cut_parts cut, const offset_t* starts) {
    const offset_t rank = thread_number();
    if (rank >= rows) return;
    cut.row_starts[rank] =
        starts[cut.row_of_rank[rank]] - places_before_row(cut, static_cast<index_t>(rank), rows, tiles);
}

struct count_as_offset {
    const index_t* counts;
    __device__ offset_t operator()(offset_t i) const { return counts[i]; }
};

}  // namespace

std::size_t two_level_sort_cut_bytes(const device_mxm_arguments& k) {
    const offset_t places = k.cut_places;
    if (!plan::cut_by_tiles(k.cut_runs)) return cut_sorted_bytes(places);
    std::size_t runs = 0, firsts = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, runs, counted(runs_of_row{}), static_cast<index_t*>(nullptr),
                                        places + 1));
    check(cub::DeviceScan::ExclusiveSum(nullptr, firsts, counted(firsts_of_tile{}),
                                        static_cast<offset_t*>(nullptr), plan::mxm_cut_tiles(places) + 1));
    return std::max(runs, firsts);
}

namespace {

/// The places of cut rows once more in tiles, in the order of rows and columns; leaves the rows' entries.
void count_cut_rows(const device_mxm_arguments& k, const mxm_sort_parts& parts, const mxm_cut_parts& cut,
                    index_t* counts, cudaStream_t on) {
    const offset_t tiles = plan::sort_tiles(k.products), cut_tiles = plan::mxm_cut_tiles(k.cut_places);
    two_level_cut_rows_kernel<<<blocks_of(tiles), item_block, 0, on>>>(parts, tiles, cut);
    std::size_t bytes = cut.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(cut.scan, bytes,
                                        counted(runs_of_row{cut.first_tile, cut.last_tile, k.cut_rows}),
                                        cut.run_starts, offset_t{k.cut_rows} + 1, on));
    two_level_cut_runs_kernel<<<blocks_of(tiles), item_block, 0, on>>>(parts, tiles, cut);
    const std::size_t searches = bound_warps * static_cast<std::size_t>(cut.runs_at_most);
    two_level_cut_bounds_kernel<<<static_cast<unsigned>(cut_tiles / bound_warps + 1), bound_block,
                                  searches * sizeof(place_search), on>>>(k.cut_columns, k.cut_places,
                                                                         k.columns, k.cut_rows, cut);
    allow_shared(two_level_cut_count_kernel, sizeof(cut_memory));
    two_level_cut_count_kernel<<<static_cast<unsigned>(cut_tiles), sort_block, sizeof(cut_memory), on>>>(
        k.cut_columns, k.cut_places, cut);
    check(cub::DeviceScan::ExclusiveSum(cut.scan, bytes, counted(firsts_of_tile{cut.tile_firsts, cut_tiles}),
                                        cut.firsts, cut_tiles + 1, on));
    two_level_cut_entries_kernel<<<blocks_of(k.cut_rows), item_block, 0, on>>>(k.cut_rows, cut_tiles, cut,
                                                                               counts);
}

}  // namespace

void two_level_sort_cut(const device_mxm_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const plan::mxm_device_parts rows(k.row_parts, k.rows, k.scan_bytes);
    const bool by_tiles = k.cut_places > 0 && plan::cut_by_tiles(k.cut_runs);
    if (by_tiles)
        count_cut_rows(k, sort_parts_of(k), cut_parts_of(k), rows.counts, on);
    else if (k.cut_places > 0)
        cut_sorted(k, rows.counts, stream);
    std::size_t bytes = k.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(rows.scan, bytes, counted(count_as_offset{rows.counts}), rows.starts,
                                        offset_t{k.rows} + 1, on));
    if (by_tiles)
        two_level_cut_starts_kernel<<<blocks_of(k.cut_rows), item_block, 0, on>>>(
            k.cut_rows, plan::mxm_cut_tiles(k.cut_places), cut_parts_of(k), rows.starts);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
