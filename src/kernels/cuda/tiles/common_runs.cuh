// The entries of a warp's rows as runs: neighbours in a row that lie in the same tile. They are read in order, lane beside
// lane, and their runs kept in shared memory, where run_walk merges the rows by column of tiles.
#pragma once

#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"

#include <algorithm>

namespace nz::kernels::cuda {

constexpr unsigned runs_block = 128;  // whose shared memory holds the rows of four warps
constexpr int words_at_once = 4;      // of 32 entries, whose loads are under way together

/// What a warp keeps of its 32 rows, 64 with tiles of 64, and StageBytes that take the place of `first` once the runs are
/// placed. (512 runs: 16 a row; a mesh of 27 neighbours with four unknowns a vertex has 15 in tiles of 16.)
template <int Size, int StageBytes = 0>
struct run_memory {
    static constexpr int size = Size, stage_bytes = StageBytes;
    static constexpr int most_runs = Size == 64 ? 768 : 512, most_entries = 4096,
                         most_words = most_entries / 32;
    alignas(16) unsigned heads[most_words];       // of 32 entries each: those that begin a run
    alignas(8) std::uint16_t before[most_words];  // runs that begin before them
    alignas(8) unsigned runs[most_runs + std::max(most_runs + 2, StageBytes / 4)];

    /// Of each run its column of tiles; once it has been placed, where it goes.
    __device__ unsigned* tile() { return runs; }
    __device__ unsigned* first() { return runs + most_runs; }  ///< entry of each run
    __device__ unsigned char* stage() { return reinterpret_cast<unsigned char*>(runs + most_runs); }
};

__device__ inline unsigned lanes_before() {
    unsigned mask;  // volatile: the compiler makes it anew at every use otherwise, which are two instructions
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/// The rows of a warp: their entries stand together in the CSR. Behind the last row of tiles there are none.
template <class Memory>
struct warp_runs {
    static constexpr int size = Memory::size, rows = lane_group<size>::rows;
    Memory& memory;
    offset_t base = 0;  // of the warp's entries in the CSR
    bool fit;           // the memory holds the runs
    int entries = 0, runs = 0;
    int start[rows];           // entry that each row begins with
    int run[rows], end[rows];  // runs of each row

    __device__ warp_runs(Memory& m, const device_tile_build& b, index_t first_tile_row) : memory(m) {
        const unsigned lane = threadIdx.x % 32, first_row = static_cast<unsigned>(first_tile_row) * size;
        for (int r = 0; r < rows; ++r) start[r] = run[r] = end[r] = 0;
        fit = true;
        if (first_tile_row >= b.tile_rows) return;
        fit = b.offsets.wide ? read<long long>(b, first_row, lane) : read<int>(b, first_row, lane);
        if (!fit) return;
        mark_rows(lane);
        find(b.indices + base, lane);
        fit = runs <= memory.most_runs;
        if (!fit) return;
        if (lane == 0) memory.first()[runs] = static_cast<unsigned>(entries);
        __syncwarp();
        for (int r = 0; r < rows; ++r) run[r] = runs_before(start[r]);
        if (rows == 2) end[0] = run[rows - 1];
        end[rows - 1] = __shfl_down_sync(full_warp, run[0], 1);
        if (lane == 31) end[rows - 1] = runs;
    }

private:
    template <class Offset>
    __device__ bool read(const device_tile_build& b, unsigned first_row, unsigned lane) {
        const Offset* const offsets = static_cast<const Offset*>(b.offsets.data) + first_row;
        const unsigned count = min(32u * rows, static_cast<unsigned>(b.rows) - first_row);
        Offset at[rows];
        for (int r = 0; r < rows; ++r) at[r] = __ldg(offsets + min(lane * rows + r, count));
        const Offset last = __ldg(offsets + count), first = __shfl_sync(full_warp, at[0], 0);
        for (int r = 0; r < rows; ++r) start[r] = static_cast<int>(at[r] - first);
        base = first;
        entries = static_cast<int>(last - first);
        return last - first <= memory.most_entries;
    }
    // Where a row begins a run begins, whatever stands before it.
    __device__ void mark_rows(unsigned lane) {
        for (int w = static_cast<int>(lane) * words_at_once; w * 32 < entries; w += 32 * words_at_once)
            *reinterpret_cast<uint4*>(memory.heads + w) = {};
        __syncwarp();
        for (int r = 0; r < rows; ++r)
            if (start[r] < entries) atomicOr(memory.heads + start[r] / 32u, 1u << start[r] % 32u);
        __syncwarp();
    }
    __device__ void find(const index_t* indices, unsigned lane) {
        const unsigned lower = lanes_before();
        unsigned last = none;  // column of tiles of the entry before these
        indices += lane;
        for (int w = 0, e = static_cast<int>(lane); w * 32 < entries;
             w += words_at_once, e += 32 * words_at_once, indices += 32 * words_at_once) {
            unsigned tile[words_at_once];
            for (int u = 0; u < words_at_once; ++u)
                tile[u] = e + 32 * u < entries
                              ? static_cast<unsigned>(indices[32 * u]) >> lane_group<size>::shift
                              : none;
            uint4& marked = *reinterpret_cast<uint4*>(memory.heads + w);
            unsigned heads[words_at_once] = {marked.x, marked.y, marked.z, marked.w};
            int before[words_at_once + 1] = {runs};
            for (int u = 0; u < words_at_once; ++u) {
                const unsigned turned = __shfl_sync(full_warp, tile[u], lane + 31);
                heads[u] |=
                    __ballot_sync(full_warp, e + 32 * u < entries && tile[u] != (lower ? turned : last));
                last = turned;
                before[u + 1] = before[u] + __popc(heads[u]);
            }
            runs = before[words_at_once];
            if (runs > memory.most_runs) return;
            for (int u = 0; u < words_at_once; ++u)
                if (heads[u] & (lower + 1)) {
                    unsigned* const run = memory.tile() + before[u] + __popc(heads[u] & lower);
                    run[0] = tile[u];
                    run[memory.most_runs] = static_cast<unsigned>(e + 32 * u);
                }
            __syncwarp();  // all have read what is marked
            if (lower) continue;
            marked = {heads[0], heads[1], heads[2], heads[3]};
            *reinterpret_cast<ushort4*>(memory.before + w) = {
                static_cast<std::uint16_t>(before[0]), static_cast<std::uint16_t>(before[1]),
                static_cast<std::uint16_t>(before[2]), static_cast<std::uint16_t>(before[3])};
        }
    }
    __device__ int runs_before(int entry) const {
        if (entry == entries) return runs;
        return memory.before[entry / 32u] + __popc(memory.heads[entry / 32u] & ((1u << entry % 32u) - 1));
    }
};

/// lane_walk's counterpart: a step takes a run of each row that has one in the tile.
template <class Memory>
struct run_walk : lane_group<Memory::size> {
    using lane_group<Memory::size>::rows;
    using lane_group<Memory::size>::tile;
    using lane_group<Memory::size>::count;
    unsigned *at[rows], *end[rows];  // runs
    int first[rows], after[rows];    // entries of the run that each row stands at

    __device__ explicit run_walk(const warp_runs<Memory>& found) {
        for (int r = 0; r < rows; ++r) {
            at[r] = found.memory.tile() + found.run[r];
            end[r] = found.memory.tile() + found.end[r];
            after[r] = found.start[r];
            look(r);
        }
    }
    __device__ void look(int r) {
        tile[r] = none;
        first[r] = after[r];
        if (at[r] < end[r]) tile[r] = *at[r], after[r] = static_cast<int>(at[r][Memory::most_runs + 1]);
    }
    __device__ void take(unsigned column) {
        for (int r = 0; r < rows; ++r) count[r] = tile[r] == column ? after[r] - first[r] : 0;
    }
    __device__ void step() {
        for (int r = 0; r < rows; ++r)
            if (count[r]) {
                ++at[r];
                look(r);
            }
    }
};

}  // namespace nz::kernels::cuda
