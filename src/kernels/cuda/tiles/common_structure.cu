// CSR to value tiles on a GPU: the sample that foresees them, and the tiles of matrices that have no value for each entry (patterns,
// one value).
//
// Who owns what: a warp copies its rows' columns to shared memory (common_staged.cuh). A lane has one row, two with tiles of 64,
//   or where rows are short four that follow each other, so that a warp has eight rows of tiles of 16 side by side, four of 32,
//   two of 64 (common_marked.cuh). The lanes of a row of tiles find the next tile as the smallest column that their rows stand
//   at, take their rows past it, and add up what they took: the sum says whether it is kept. Its entries go, as locals, to shared
//   memory in the order of tiles, those outside to the front of their rows there (common_waiting.cuh).
//   Short rows, four a lane, are gone through once: what is said of each tile waits in shared memory too. Then two additions to the
//   arrays' counts give the block a place, wherever that is (common_places.cuh), and a group of lanes writes what waits for its
//   row of tiles. Longer ones, blocks whose entries shared memory holds in turn only, and warps with more tiles than wait there are
//   counted first and gone through again when they have a place. Rows of tiles that the block's room does not hold are walked
//   in the CSR (fill_by_lanes). With tiles of 64 and long rows the pass is
//   common_build.cu's. The sample counts 512 blocks or up to twice as many, evenly spread, or all where they are fewer, with the fewest rows a lane: what it takes is latency. The caller makes room for a tenth more than it foresees,
//   and where that is too little the counts say what is needed.
// Memory: the CSR's structure once, the tiles written once, 16 bytes a row of tiles.
// Synchronization: a warp's alone, before and after entries outside are put where a lane at its row's end looks; a block's where
//   it takes its place, and where warps have the room in turn.
// Determinism: what a row of tiles has follows from the matrix; where blocks of them stand differs from call to call.
// Cost: Nsight Compute, H200, tiles of 16 from 8 entries on, grid2d:2000,0.3: 47.4 M instructions of a warp (60.6 M when rows were
//   counted first) in 65% of the slots, six blocks a multiprocessor, which shared memory allows; and the sample 1.3 M in 6 us,
//   which is latency.
// Distance to the limit (H200, tiles of 16, the sample with it): 27 to 28% of the copy rate on the grid (docs/measurements/tiles.md). What is
//   left are the instructions: a step of eight rows of tiles is some 200 for 72 entries.
// Without gain: three columns at a time where they are neighbours (count on laplace3d:100: 53.9 M instructions for 49.2); steps that the
//   count notes in shared memory and the writing repeats without walking (59.5 M for 60.7: the walk is a sixth of the writing); 64 or 56
//   registers a thread (0.102 and 0.106 ms for 0.100).
// Why common_build.cu's way was not enough: a warp has two rows of tiles whatever they hold, and what comes before its first run
//   is the same for 90 entries as for 900 (the grid: 14%).
#include "kernels/cuda/tiles/common_build.hpp"
#include "kernels/cuda/tiles/common_marked.cuh"
#include "kernels/cuda/tiles/common_near.cuh"
#include "kernels/cuda/tiles/common_places.cuh"
#include "kernels/cuda/tiles/common_structure.hpp"
#include "kernels/cuda/tiles/common_tiles.cuh"
#include "kernels/cuda/tiles/common_waiting.cuh"

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

static_assert(staged_block == places_block);

// Whether rows are gone through once, their tiles waiting in slots.
template <int Rows>
constexpr bool goes_once = Rows == 4;

// The row of tiles that a lane walks with: i, or one that does not exist where half of the warp is enough.
template <int Size>
__device__ index_t walked_row(const device_tile_build& b, index_t i) {
    return threadIdx.x % 32 < lane_group<Size>::group ? i : b.tile_rows;
}

// What groups of lanes have counted of rows of tiles number k to k + count goes to the lanes of their numbers.
template <class Walk>
__device__ void hand_out(int k, int count, std::uint32_t tiles, std::uint32_t outside, tile_counts& own) {
    const int number = static_cast<int>(threadIdx.x % 32) - k, from = number * Walk::group & 31;
    tiles = __shfl_sync(full_warp, tiles, from);
    outside = __shfl_sync(full_warp, outside, from);
    if (number >= 0 && number < count) own = {tiles, 0, outside};
}

// Rows of tiles number k to k + count, side by side; the lane of the row of tiles' number has the counts.
template <int Size, int Rows>
__device__ void count_near(const device_tile_build& b, const staged_rows<Size>& rows, int k, int count,
                           tile_counts& own) {
    marked_walk<Size, Rows> walk(rows, k, count);
    const int least = least_kept(b);
    std::uint32_t tiles = 0, outside = 0;
    unsigned passed = 0;
    for (int r = 0; r < Rows; ++r) passed += walk.at[r];
    for (unsigned column; walk.on(column = walk.next());) {
        walk.take(column & ~unsigned{Size - 1});
        unsigned now = 0;
        for (int r = 0; r < Rows; ++r) now += walk.at[r];
        const int entries = walk.sum(static_cast<int>((now - passed) / 4));
        passed = now;
        const bool keep = entries >= least;
        tiles += keep;
        outside += keep ? 0 : entries;
    }
    hand_out<marked_walk<Size, Rows>>(k, count, tiles, outside, own);
}

// What the warp's row of tiles of the lane's number has; of those behind them all, nothing.
template <int Size, int Rows>
__device__ tile_counts count_rows(const device_tile_build& b, staged_rows<Size>& rows, index_t first) {
    tile_counts own;
    rows.for_parts(
        b.indices,
        [&](int k, int count) {
            constexpr int groups = marked_walk<Size, Rows>::groups;
            for (int i = 0; i < count; i += groups)
                count_near<Size, Rows>(b, rows, k + i, min(groups, count - i), own);
        },
        [&](int k) {
            const index_t i = walked_row<Size>(b, first + k);
            const tile_counts far =
                from_lane(count_tiles(b, lane_walk<Size>(b.offsets, b.indices, b.rows, i)), 0);
            if (rows.lane == k) own = far;
        });
    if (rows.lane < rows.tile_rows) own.kept = rows.entries_of(rows.lane) - own.outside;
    return own;
}

template <int Size, int Rows>
__global__ void __launch_bounds__(staged_block)
    sample_tiles_kernel(const __grid_constant__ device_tile_build b, staged_shape shape) {
    const index_t first = first_of_warp(shape);
    staged_rows<Size> rows(b, shape, first);
    const tile_counts own = count_rows<Size, Rows>(b, rows, first);
    __shared__ tile_counts of_warps[staged_warps];
    const tile_counts of_warp{__reduce_add_sync(full_warp, own.tiles), __reduce_add_sync(full_warp, own.kept),
                              __reduce_add_sync(full_warp, own.outside)};
    if (rows.lane == 0) of_warps[threadIdx.x / 32] = of_warp;
    __syncthreads();
    if (threadIdx.x != 0) return;
    tile_counts all;
    for (const tile_counts& w : of_warps) all = all + w;
    b.counts[1 + blockIdx.x] = all;
    if (blockIdx.x == 0) b.counts[0] = {};
}

// Goes through all of a warp's rows of tiles once; whether each had slots enough. The lane of a row of tiles' number has what
// it has.
template <int Size, int Rows>
__device__ bool walk_once(const device_tile_build& b, staged_rows<Size>& rows,
                          const waiting_tiles<Size>& waiting, tile_counts& own) {
    using walk = marked_walk<Size, Rows>;
    int fewest = 0;
    rows.for_parts(
        b.indices,
        [&](int k, int count) {
            for (int i = k; i < k + count; i += walk::groups) {
                const int group = rows.lane / walk::group, lane = rows.lane % walk::group,
                          side_by_side = min(walk::groups, k + count - i),
                          number = i + min(group, side_by_side - 1);
                const unsigned slot = waiting.slot_of(rows.offset + rows.place_of(number)),
                               end = waiting.slot_of(rows.offset + rows.place_of(number + 1));
                waiting_slots<Size, Rows> slots{
                    shared_address(waiting.starts + slot * waiting_shape::start_bytes<Size>) +
                        lane * static_cast<unsigned>(sizeof(lane_starts<Size, Rows>)),
                    shared_address(waiting.facts + slot), static_cast<int>(end - slot)};
                const unsigned outside = walk_near<Size, Rows>(b, rows, waiting, i, side_by_side, slots);
                fewest = min(fewest, slots.left);
                hand_out<walk>(i, side_by_side, end - slot - static_cast<unsigned>(slots.left), outside, own);
            }
        },
        [](int) {});
    if (rows.lane < rows.tile_rows) own.kept = rows.entries_of(rows.lane) - own.outside;
    return !__any_sync(full_warp, fewest < 0);
}

// What waits for rows of tiles number k to k + count goes to its places: a lane has what its number's row of tiles has and
// where it goes.
template <int Size, int Rows>
__device__ void write_near(const device_tile_build& b, const staged_rows<Size>& rows,
                           const waiting_tiles<Size>& waiting, int k, int count, bool slots,
                           const tile_counts& first, const tile_counts& own) {
    using local = local_type<Size>;
    using walk = marked_walk<Size, Rows>;
    constexpr unsigned units = waiting_shape::start_bytes<Size> / sizeof(uint4);  // of a tile's starts
    const int group = rows.lane / walk::group, lane = rows.lane % walk::group,
              number = min(k + group, k + count - 1);
    const tile_counts at = from_lane(first, number);
    tile_counts has = from_lane(own, number);
    if (group >= count) has = {};
    const unsigned place = rows.place_of(number);
    if (slots) {
        const unsigned slot = waiting.slot_of(rows.offset + place);
        const auto* const starts = reinterpret_cast<const uint4*>(waiting.starts) + slot * units;
        auto* const to = static_cast<uint4*>(b.row_starts) + std::size_t{at.tiles} * units;
#pragma unroll 1
        for (unsigned u = lane; u < has.tiles * units; u += walk::group) {
            to[u] = starts[u];
            if (u % units) continue;
            const uint2 facts = waiting.facts[slot + u / units];
            b.tile_columns[at.tiles + u / units] = static_cast<index_t>(facts.x);
            b.entry_starts[at.tiles + u / units] = offset_t{at.kept} + facts.y;
        }
    }
    copy_bytes<walk::group>(reinterpret_cast<unsigned char*>(static_cast<local*>(b.locals) + at.kept),
                            rows.more + place * sizeof(local), has.kept * sizeof(local), lane);
    if (!__any_sync(full_warp, has.outside)) return;
    unsigned counts[Rows], mine = 0;
    const unsigned first_row = static_cast<unsigned>(number) * Size + lane * Rows;
    for (int r = 0; r < Rows; ++r) mine += counts[r] = group < count ? waiting.outside[first_row + r] : 0;
    std::uint32_t to =
        at.outside + static_cast<unsigned>(sum_up_to<walk::group>(static_cast<int>(mine))) - mine;
    for (int r = 0; r < Rows; ++r) {
        const unsigned* const from = rows.columns + (rows.starts[first_row + r] - rows.bias);
#pragma unroll 1
        for (unsigned e = 0; e < counts[r]; ++e, ++to) {
            b.extracted_rows[to] = static_cast<std::uint8_t>(lane * Rows + r);
            b.extracted_columns[to] = static_cast<index_t>(from[e] & ~row_mark);
        }
    }
}

// Rows are gone through once where they are short, four a lane, and else once to count and once to write.
template <int Size, int Rows>
__global__ void __launch_bounds__(staged_block)
    make_structure_kernel(const __grid_constant__ device_tile_build b, staged_shape shape,
                          waiting_shape slots) {
    using walk = marked_walk<Size, Rows>;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const index_t first = first_of_warp(shape);
    staged_rows<Size> rows(b, shape, first);
    const waiting_tiles<Size> waiting(shape, slots);
    tile_counts own;
    const bool tries_once = goes_once<Rows> && rows.together();
    bool once = false;
    if constexpr (goes_once<Rows>)
        if (tries_once) {
            once = walk_once<Size, Rows>(b, rows, waiting, own);
            if (!once) rows.forget();
        }
    if (!tries_once) own = count_rows<Size, Rows>(b, rows, first);
    const tile_counts up_to = sum_up_to_lane(own);
    const warp_places places = take_places(b, from_lane(up_to, 31));
    const tile_counts at = places.first + up_to - own;
    if (lane < rows.tile_rows) write_ranges(b, first + lane, at, own);
    if (!places.room) return;
    const auto near = [&](int k, int count) {
        const int end = k + count;
        if (!once)
            for (int i = k; i < end; i += walk::groups) {
                const tile_counts from = from_lane(at, min(i + lane / walk::group, end - 1));
                placed_tiles<Size, Rows> said{b, from.tiles, from.kept};
                walk_near<Size, Rows>(b, rows, waiting, i, min(walk::groups, end - i), said);
            }
        __syncwarp();
        for (int i = k; i < end; i += walk::groups)
            write_near<Size, Rows>(b, rows, waiting, i, min(walk::groups, end - i), once, at, own);
    };
    rows.for_parts(b.indices, near, [&](int k) {
        fill_by_lanes<Size, no_value>(b, walked_row<Size>(b, first + k),
                                      {from_lane(at, k), from_lane(own, k)});
    });
}

// The fewest rows a lane, and the fewest rows of tiles then that keep a warp's lanes at work.
template <int Size>
constexpr int lane_rows = Size == 64 ? 2 : 1;
template <int Size>
constexpr int least_rows = std::max(1, 32 / Size);

// As many rows a lane as leave a warp's entries within what one has: f(Size, rows).
template <class F>
void by_rows(const device_tile_build& b, unsigned local_bytes, F&& f) {
    by_size(b.size, [&]<int Size>(std::integral_constant<int, Size> size) {
        staged_shape shape = staged_shape_of(b.entries, b.tile_rows, least_rows<Size>);
        shape.more_bytes = local_bytes;
        if (shape.tile_rows * Size >= 32 * 4)
            f(size, std::integral_constant<int, 4>{}, shape);
        else
            f(size, std::integral_constant<int, lane_rows<Size>>{}, shape);
    });
}

}  // namespace

unsigned sample_tiles(const device_tile_build& b, void* stream) {
    constexpr unsigned blocks_wanted = device_tile_table::most_sampled / 2;
    return by_size(b.size, [&]<int Size>(std::integral_constant<int, Size>) {
        staged_shape shape =
            staged_shape_of(b.entries, b.tile_rows, least_rows<Size>, usual_large_room, least_rows<Size>);
        shape.step = std::max(1u, staged_blocks(b.tile_rows, shape) / blocks_wanted);
        return launch_staged(sample_tiles_kernel<Size, lane_rows<Size>>, b, shape, stream);
    });
}

void make_structure(const device_tile_build& b, void* stream) {
    by_rows(b, b.size == 16 ? 1 : 2,
            [&]<int Size, int Rows>(std::integral_constant<int, Size>, std::integral_constant<int, Rows>,
                                    const staged_shape& shape) {
                const auto slots = waiting_shape::of<Size>(shape, b.least_entries, goes_once<Rows>);
                launch_staged(make_structure_kernel<Size, Rows>, b, shape, stream,
                              slots.template bytes<Size>(shape), slots);
            });
}

}  // namespace nz::kernels::cuda
