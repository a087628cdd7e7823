// CSR to value tiles on a GPU: the sample that foresees them, and the tiles of matrices that have no value for each entry (patterns,
// one value).
//
// Who owns what: a warp copies its rows' columns to shared memory (common_staged.cuh). A lane has one row, two with tiles of 64,
//   or where rows are short four that follow each other, so that a warp has eight rows of tiles of 16 side by side, four of 32,
//   two of 64 (common_marked.cuh). The lanes of a row of tiles find the next tile as the smallest column that their rows stand
//   at, take their rows past it, and add up what they took: the sum says whether it is kept. A block goes through its rows so and
//   counts; two additions to the arrays' counts give it a place, wherever that is (common_places.cuh); then it goes through them
//   once more, in shared memory still, and writes at once what is said of each tile; entries go, as locals, to shared memory in the
//   order of tiles, and from there in words to their places, which stand one after the other for all of a warp's tiles. Entries
//   outside move to the front of their rows in shared memory, and to their places when all of the row of tiles are known. Rows of
//   tiles that the block's room does not hold are walked in the CSR (fill_by_lanes). With tiles of 64 and long rows the pass is
//   common_build.cu's. The sample counts 512 blocks or up to twice as many, evenly spread, or all where they are fewer, with the fewest rows a lane: what it takes is latency. The caller makes room for a tenth more than it foresees,
//   and where that is too little the counts say what is needed.
// Memory: the CSR's structure once, the tiles written once, 16 bytes a row of tiles.
// Synchronization: a warp's alone, before and after entries outside are put where a lane at its row's end looks; a block's where
//   it takes its place, and where warps have the room in turn.
// Determinism: what a row of tiles has follows from the matrix; where blocks of them stand differs from call to call.
// Cost: Nsight Compute, H100, tiles of 16 from 8 entries on, grid2d:2000,0.3: 60.7 M instructions of a warp in 73% of the slots, and
//   the sample 1.3 M in 6 us, which is latency.
// Distance to the limit (tiles of 16, the sample with it): 32% of the copy rate on the grid on an H100, 24% on an H200, which copies
//   1.4 times as fast (docs/measurements.md). What is left are the instructions, the same on both.
// Without gain: three columns at a time where they are neighbours (count on laplace3d:100: 53.9 M instructions for 49.2); steps that the
//   count notes in shared memory and the writing repeats without walking (59.5 M for 60.7: the walk is a sixth of the writing); 64 or 56
//   registers a thread (0.102 and 0.106 ms for 0.100).
// Why common_build.cu's way was not enough: a warp has two rows of tiles whatever they hold, and what comes before its first run
//   is the same for 90 entries as for 900 (the grid: 14%).
#include "kernels/cuda/tiles/common_build.hpp"
#include "kernels/cuda/tiles/common_marked.cuh"
#include "kernels/cuda/tiles/common_places.cuh"
#include "kernels/cuda/tiles/common_structure.hpp"
#include "kernels/cuda/tiles/common_tiles.cuh"

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

static_assert(staged_block == places_block);

__device__ inline int least_kept(const device_tile_build& b) { return max(b.least_entries, 1); }

// The row of tiles that a lane walks with: i, or one that does not exist where half of the warp is enough.
template <int Size>
__device__ index_t walked_row(const device_tile_build& b, index_t i) {
    return threadIdx.x % 32 < lane_group<Size>::group ? i : b.tile_rows;
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
    const int number = rows.lane - k, from = number * walk.group & 31;
    tiles = __shfl_sync(full_warp, tiles, from);
    outside = __shfl_sync(full_warp, outside, from);
    if (number >= 0 && number < count) own = {tiles, 0, outside};
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

// Of a group of lanes: where its row of tiles goes. Places are those of the warp's entries that are here, from `base` on.
struct group_places {
    std::uint32_t base, outside, tile;
    int place;
};

// A tile's entries, lane by lane and row by row, to their places in its order, or where outside to the front of their rows.
template <int Size, int Rows>
struct tile_mover {
    using local = local_type<Size>;
    static constexpr unsigned bytes = sizeof(local);
    static constexpr int at_once = Rows < 4 ? 3 : 1;
    unsigned row;          // the lane's first
    unsigned apart[Rows];  // where the row's next column outside goes

    __device__ static unsigned local_at(unsigned row, unsigned column) {
        return row << (Size == 16 ? 4 : 6) | (column & (Size - 1));
    }
    __device__ void put_near(bool here, unsigned to, int r, unsigned column) const {
        const unsigned x = local_at(row + r, column);
        if (!here) return;
        if (bytes == 1)
            asm volatile("st.shared.u8 [%0], %1;" ::"r"(to), "r"(x) : "memory");
        else
            asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "h"(static_cast<unsigned short>(x)) : "memory");
    }
    __device__ void put_apart(bool here, int r, unsigned column) {
        if (!here) return;
        store_shared(apart[r], column | row_mark);
        apart[r] += 4;
    }
    // The `count` columns of each run stand at `from`, the first is `first`.
    __device__ void move(bool kept, const unsigned (&first)[Rows], const unsigned (&from)[Rows],
                         const int (&count)[Rows], unsigned to) {
        unsigned place[Rows], next[Rows];
        int most = 0;
        for (int r = 0; r < Rows; ++r) {
            place[r] = to;
            next[r] = from[r];
            to += bytes * count[r];
            most = max(most, count[r]);
            put_near(kept && count[r] > 0, place[r], r, first[r]);
        }
        for (int e = 1; __any_sync(full_warp, kept && e < most); e += at_once)
            for (int r = 0; r < Rows; ++r) {
                unsigned column[at_once];
                for (int u = 0; u < at_once; ++u)
                    column[u] = kept && e + u < count[r] ? load_shared(next[r] + 4 * (u + 1)) : 0;
                for (int u = 0; u < at_once; ++u)
                    put_near(kept && e + u < count[r], place[r] + bytes * (u + 1), r, column[u]);
                next[r] += 4 * at_once;
                place[r] += bytes * at_once;
            }
        if (!__any_sync(full_warp, !kept && most > 0)) return;
        __syncwarp();  // lanes at their row's end look where the next lane writes
        for (int r = 0; r < Rows; ++r) put_apart(!kept && count[r] > 0, r, first[r]);
        for (int r = 0; r < Rows; ++r)
            for (int e = 1; __any_sync(full_warp, !kept && e < count[r]); ++e)
                put_apart(!kept && e < count[r], r, !kept && e < count[r] ? load_shared(from[r] + 4 * e) : 0);
        __syncwarp();
    }
};

// What is said of a tile: by each lane where its rows begin, by the first the rest.
template <int Size, int Rows>
__device__ void write_tile(const device_tile_build& b, int lane, const group_places& at, unsigned column,
                           int before, const int (&count)[Rows]) {
    using local = local_type<Size>;
    struct alignas(Rows * sizeof(local)) lane_starts {
        local of[Rows];
    } starts;
    for (int r = 0; r < Rows; ++r) {
        starts.of[r] = static_cast<local>(before);
        before += count[r];
    }
    reinterpret_cast<lane_starts*>(static_cast<local*>(b.row_starts) + std::size_t{at.tile} * Size)[lane] =
        starts;
    if (lane == 0) {
        b.tile_columns[at.tile] = static_cast<index_t>(column / Size);
        b.entry_starts[at.tile] = offset_t{at.base} + at.place;
    }
}

template <int Size, int Rows>
__device__ void write_outside(const device_tile_build& b, const tile_mover<Size, Rows>& mover,
                              const unsigned (&start)[Rows], std::uint32_t place) {
    int count = 0;
    for (int r = 0; r < Rows; ++r) count += static_cast<int>((mover.apart[r] - start[r]) / 4);
    place += sum_up_to<Size / Rows>(count) - count;
    for (int r = 0; r < Rows; ++r)
#pragma unroll 1
        for (unsigned at = start[r]; at != mover.apart[r]; at += 4, ++place) {
            b.extracted_rows[place] = static_cast<std::uint8_t>(mover.row + r);
            b.extracted_columns[place] = static_cast<index_t>(load_shared(at) & ~row_mark);
        }
}

template <int Size, int Rows>
__device__ void fill_near(const device_tile_build& b, const staged_rows<Size>& rows, int k, int count,
                          group_places at, unsigned locals) {
    marked_walk<Size, Rows> walk(rows, k, count);
    const int least = least_kept(b);
    tile_mover<Size, Rows> mover{static_cast<unsigned>(walk.lane) * Rows, {}};
    unsigned start[Rows];
    for (int r = 0; r < Rows; ++r) mover.apart[r] = start[r] = walk.at[r];
    for (unsigned column; walk.on(column = walk.next());) {
        unsigned first[Rows], from[Rows];
        for (int r = 0; r < Rows; ++r) first[r] = walk.head[r], from[r] = walk.at[r];
        walk.take(column & ~unsigned{Size - 1});
        int taken[Rows], mine = 0;
        for (int r = 0; r < Rows; ++r) mine += taken[r] = static_cast<int>((walk.at[r] - from[r]) / 4);
        const int up_to = sum_up_to<walk.group>(mine), entries = walk.of_last(up_to), before = up_to - mine;
        const bool kept = entries >= least;
        if (kept) write_tile<Size, Rows>(b, walk.lane, at, column, before, taken);
        mover.move(kept, first, from, taken,
                   locals + (at.place + before) * static_cast<int>(sizeof(local_type<Size>)));
        at.tile += kept;
        at.place += kept ? entries : 0;
    }
    write_outside<Size, Rows>(b, mover, start, at.outside);
}

template <int Size, int Rows>
__global__ void __launch_bounds__(staged_block)
    make_structure_kernel(const __grid_constant__ device_tile_build b, staged_shape shape) {
    const int lane = static_cast<int>(threadIdx.x % 32);
    const index_t first = first_of_warp(shape);
    staged_rows<Size> rows(b, shape, first);
    const tile_counts own = count_rows<Size, Rows>(b, rows, first), up_to = sum_up_to_lane(own);
    const warp_places places = take_places(b, from_lane(up_to, 31));
    const tile_counts at = places.first + up_to - own;
    if (lane < rows.tile_rows) write_ranges(b, first + lane, at, own);
    if (!places.room) return;
    const auto near = [&](int k, int count) {
        constexpr int groups = marked_walk<Size, Rows>::groups;
        const std::uint32_t base = __shfl_sync(full_warp, at.kept, k);
        const unsigned skip = base % (4 / sizeof(local_type<Size>));
        const unsigned locals = shared_address(rows.more) + skip * sizeof(local_type<Size>);
        for (int i = 0; i < count; i += groups) {
            const int q = min(k + i + lane / marked_walk<Size, Rows>::group, k + count);
            const tile_counts from = from_lane(at, q);
            fill_near<Size, Rows>(b, rows, k + i, min(groups, count - i),
                                  {base, from.outside, from.tiles, static_cast<int>(from.kept - base)},
                                  locals);
        }
        __syncwarp();
        write_locals<Size>(b, rows.more, base,
                           static_cast<int>(__shfl_sync(full_warp, at.kept, k + count) - base));
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
                launch_staged(make_structure_kernel<Size, Rows>, b, shape, stream);
            });
}

}  // namespace nz::kernels::cuda
