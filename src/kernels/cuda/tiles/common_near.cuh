// Rows of tiles that are in shared memory, gone through side by side: entries to the order of tiles, and what is said of each tile.
#pragma once

#include "kernels/cuda/tiles/common_marked.cuh"
#include "kernels/cuda/tiles/common_tiles.cuh"
#include "kernels/cuda/tiles/common_waiting.cuh"

#include <bit>

namespace nz::kernels::cuda {

__device__ inline int least_kept(const device_tile_build& b) { return max(b.least_entries, 1); }

/// A register of its own. (Else the compiler moves what it keeps twice a step.)
__device__ inline unsigned copy_of(unsigned x) {
    unsigned copy;
    asm volatile("mov.b32 %0, %1;" : "=r"(copy) : "r"(x));
    return copy;
}

/// A tile's entries, lane by lane and row by row, to their places in its order, or where outside to the front of their rows.
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
        for (int e = 1; __any_sync(full_warp, !kept && e < most); ++e)
            for (int r = 0; r < Rows; ++r) {
                const bool here = !kept && e < count[r];
                put_apart(here, r, here ? load_shared(from[r] + 4 * e) : 0);
            }
        __syncwarp();
    }
};

/// Where the rows of a lane begin in a tile.
template <int Size, int Rows>
struct alignas(Rows * sizeof(local_type<Size>)) lane_starts {
    local_type<Size> of[Rows];

    __device__ lane_starts(int before, const int (&count)[Rows]) {
        for (int r = 0; r < Rows; ++r) {
            of[r] = static_cast<local_type<Size>>(before);
            before += count[r];
        }
    }
};

/// What is said of a tile, to its place: by each lane where its rows begin, by the first the rest.
template <int Size, int Rows>
struct placed_tiles {
    const device_tile_build& b;
    std::uint32_t tile, kept;  ///< tiles and entries before

    __device__ void put(int lane, unsigned column, unsigned place, const lane_starts<Size, Rows>& starts) {
        auto* const to = static_cast<local_type<Size>*>(b.row_starts) + std::size_t{tile} * Size;
        reinterpret_cast<lane_starts<Size, Rows>*>(to)[lane] = starts;
        if (lane == 0) {
            b.tile_columns[tile] = static_cast<index_t>(column / Size);
            b.entry_starts[tile] = offset_t{kept} + place;
        }
    }
    __device__ void step(bool kept) { tile += kept; }
};

/// The same to slots, of which there are `left`.
template <int Size, int Rows>
struct waiting_slots {
    unsigned starts, facts;  ///< addresses
    int left;

    __device__ void put(int lane, unsigned column, unsigned place, const lane_starts<Size, Rows>& its) const {
        if (left <= 0) return;
        if constexpr (sizeof(its) == sizeof(unsigned))
            store_shared(starts, std::bit_cast<unsigned>(its));
        else
            store_shared(starts, std::bit_cast<uint2>(its));
        if (lane == 0) store_shared(facts, uint2{column / Size, place});
    }
    __device__ void step(bool kept) {
        if (!kept) return;
        starts += waiting_shape::start_bytes<Size>;
        facts += sizeof(uint2);
        --left;
    }
};

/// Goes through rows of tiles number k to k + count, side by side: locals wait, entries outside stand at the front of their
/// rows, and what is said of tiles goes where `said` has it. Returns what the group's row of tiles has outside.
template <int Size, int Rows, class Said>
__device__ unsigned walk_near(const device_tile_build& b, const staged_rows<Size>& rows,
                              const waiting_tiles<Size>& waiting, int k, int count, Said& said) {
    constexpr unsigned bytes = sizeof(local_type<Size>);
    marked_walk<Size, Rows> walk(rows, k, count);
    const int least = least_kept(b), number = k + rows.lane / walk.group;
    const bool here = number < k + count;
    const unsigned begin = shared_address(rows.more) + bytes * rows.place_of(here ? number : k);
    unsigned to = begin, outside = 0;
    tile_mover<Size, Rows> mover{static_cast<unsigned>(walk.lane) * Rows, {}};
    unsigned start[Rows];
    for (int r = 0; r < Rows; ++r) mover.apart[r] = start[r] = walk.at[r];
    for (unsigned column; walk.on(column = walk.next());) {
        unsigned first[Rows], from[Rows];
        for (int r = 0; r < Rows; ++r) first[r] = copy_of(walk.head[r]), from[r] = copy_of(walk.at[r]);
        walk.take(column & ~unsigned{Size - 1});
        int taken[Rows], mine = 0;
        for (int r = 0; r < Rows; ++r) mine += taken[r] = static_cast<int>((walk.at[r] - from[r]) / 4);
        const int up_to = sum_up_to<walk.group>(mine), entries = walk.of_last(up_to), before = up_to - mine;
        const bool kept = entries >= least;
        if (kept) said.put(walk.lane, column, (to - begin) / bytes, lane_starts<Size, Rows>(before, taken));
        mover.move(kept, first, from, taken, to + before * bytes);
        said.step(kept);
        (kept ? to : outside) += entries * (kept ? bytes : 1);
    }
    struct alignas(2 * Rows) counts {
        std::uint16_t of[Rows];
    } of_rows;
    for (int r = 0; r < Rows; ++r)
        of_rows.of[r] = static_cast<std::uint16_t>((mover.apart[r] - start[r]) / 4);
    if (here) reinterpret_cast<counts*>(waiting.outside + number * Size)[walk.lane] = of_rows;
    return outside;
}

}  // namespace nz::kernels::cuda
