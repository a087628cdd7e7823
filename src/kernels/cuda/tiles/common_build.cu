// CSR to tiles on a GPU (ji2022, sections 3.2.1 and 4.6): storage/value_tiles.cpp's arrays. common_structure.cu samples, and makes
// what has no values; here is the pass that moves values, a warp for 32 or 64 rows.
//
// Who owns what: a warp owns two rows of tiles of 16, one of 32 or one of 64. Its rows' entries stand together in the CSR:
//   lanes read them side by side and put down where a run begins, entries of a row that lie in one tile (common_runs.cuh).
//   Then each lane stands at the next run of its row (two rows with tiles of 64); the group's smallest column of tiles is
//   the next tile, a lane's run in it one number, and the group's sum says whether it is kept. They go through the runs twice: once to
//   count, after which the block takes its place in the arrays (common_places.cuh), once to write down where every run goes. Then the
//   entries move in the CSR's order: those of a tile stand in that order in it, and so do those outside in their
//   list. Runs that shared memory does not hold (512 a warp; R-MAT) are walked in the CSR, an entry at a time (lane_walk).
// Memory: the CSR's columns twice, the second time mostly from L2, values once, the tiles written once. Locals,
//   and values where a row of tiles of 16 has at most some 450 doubles, go to shared memory first and from there to their
//   places in order: written one by one they are 25.8 M sectors at L2 on laplace3d:100, not 16.9 M.
// Synchronization: a warp's alone, and a block's where it takes its place.
// Determinism: what a row of tiles has follows from the matrix; where blocks of them stand differs from call to call.
// Cost: Nsight Compute, H100, laplace3d:100, tiles of 16: 167.6 M instructions of a warp in 63% of the slots. Rows of tiles
//   that hold many times their neighbours' tiles are a warp's alone.
// Distance to the limit (H100, tiles of 16, doubles): 60% of the copy rate on laplace3d:100, 68% on the band, 47% on fe_body (x) 6x6,
//   over the CSR read once and the tiles written, the sample with it; docs/measurements/tiles.md.
// Without gain: a lane a row, an entry at a time (9 to 22% of the copy rate: a warp's loads lie in as many sectors as it has
//   rows); values to their places at once, with more warps (laplace3d:100: fill 0.35 for 0.24 ms); a stage that holds both
//   rows of tiles, with fewer (0.33); values fetched to L2 ahead (fill 0.94 to 1.06 times the time) or read and written as
//   first to leave it (0.98 to 1.02).
// Why sorting was not enough: rows are sorted already, and a radix sort of all entries by tile moves them ten times.
#include "kernels/cuda/tiles/common_build.hpp"
#include "kernels/cuda/tiles/common_places.cuh"
#include "kernels/cuda/tiles/common_runs.cuh"
#include "kernels/cuda/tiles/common_strips.hpp"
#include "kernels/cuda/tiles/common_structure.hpp"
#include "kernels/cuda/tiles/common_tiles.cuh"

#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

template <int Size>
__device__ index_t tile_row_of_lane() {
    return static_cast<index_t>((blockIdx.x * runs_block + threadIdx.x) / lane_group<Size>::group);
}
template <int Size>
constexpr int tile_rows_of_warp = 32 / lane_group<Size>::group;
static_assert(runs_block == places_block);

// Locals and doubles of 28 entries a row with tiles of 16, one row of tiles at a time; locals alone of 127, 63 and 51 a row.
// (With 4096 bytes tiles of 64 took 0.86 to 1.37 times the time: more warps, but locals written one by one.)
template <int Size>
using fill_memory = run_memory<Size, Size == 64 ? 6656 : 4096>;

// What a warp's stage holds of `count` entries in the order of tiles.
template <int Size, class U>
struct staging {
    using local = local_type<Size>;
    static constexpr int per_word = 4 / sizeof(local);
    unsigned char* stage;
    offset_t first;  // entry of the matrix
    int count, skip;

    __device__ staging(unsigned char* memory, offset_t first_entry, int entries)
        : stage(memory), first(first_entry), count(entries), skip(static_cast<int>(first_entry % per_word)) {}
    // A word more: the first stands as far into a word as it does in the matrix.
    __device__ static int bytes_of_locals(int entries) {
        return (entries * static_cast<int>(sizeof(local)) + 4 + 7) & ~7;
    }
    __device__ static bool fits_locals(int entries) {
        return bytes_of_locals(entries) <= fill_memory<Size>::stage_bytes;
    }
    __device__ static bool fits(int entries) {
        return bytes_of_locals(entries) + entries * static_cast<int>(sizeof(U)) <=
               fill_memory<Size>::stage_bytes;
    }
    __device__ local* near_locals() const { return reinterpret_cast<local*>(stage) + skip; }
    __device__ U* near_values() const { return reinterpret_cast<U*>(stage + bytes_of_locals(count)); }

    __device__ void write_values(const device_tile_build& b) const {
        for (int e = static_cast<int>(threadIdx.x % 32); e < count; e += 32)
            static_cast<U*>(b.out_values)[first + e] = near_values()[e];
    }
    __device__ void write_locals(const device_tile_build& b) const {
        cuda::write_locals<Size>(b, stage, first, count);
    }
};

// Where a run goes: how far its entries move towards their place in tiles, whether they stay outside, and their row.
constexpr unsigned stays_outside = 64;
__device__ inline unsigned run_target(int move, int row) {
    return static_cast<unsigned>(move) << 7 | static_cast<unsigned>(row);
}

// Entries of a warp in the CSR's order: where they begin, and how many of them go to tiles and where.
struct warp_part {
    int begin, end;
    int kept_before, kept;  // entries in tiles before the part's, of the warp, and of the part
    std::uint32_t apart;    // place of the part's first entry outside
};

// Moves a part's entries to their tiles, whose places count from the warp's first, `kept`, or outside, in their order.
template <int Size, class U, bool NearLocals, bool NearValues>
__device__ void move_entries(const device_tile_build& b, const warp_runs<fill_memory<Size>>& found,
                             offset_t kept, warp_part part) {
    using local = local_type<Size>;
    constexpr bool each = !std::is_same_v<U, no_value>;
    fill_memory<Size>& memory = found.memory;
    const staging<Size, U> stage(memory.stage(), kept + part.kept_before, part.kept);
    local* const locals =
        NearLocals ? stage.near_locals() - part.kept_before : static_cast<local*>(b.locals) + kept;
    U* const values =
        NearValues ? stage.near_values() - part.kept_before : static_cast<U*>(b.out_values) + kept;
    const int lane = static_cast<int>(threadIdx.x % 32);
    const unsigned lower = lanes_before(), up_to_lane = 2 * lower + 1;
    int e = (part.begin & -32 * words_at_once) + lane;
    const index_t* columns = b.indices + found.base + e;
    const U* from = static_cast<const U*>(b.values) + found.base + e;
    for (; e - lane < part.end;
         e += 32 * words_at_once, columns += 32 * words_at_once, from += 32 * words_at_once) {
        index_t column[words_at_once];
        U value[words_at_once];
        bool here[words_at_once];
        for (int u = 0; u < words_at_once; ++u) {
            here[u] = e + 32 * u >= part.begin && e + 32 * u < part.end;
            column[u] = here[u] ? columns[32 * u] : 0;
            if constexpr (each) value[u] = here[u] ? from[32 * u] : U{};
        }
        const uint4 words = *reinterpret_cast<const uint4*>(memory.heads + (e - lane) / 32);
        const ushort4 runs = *reinterpret_cast<const ushort4*>(memory.before + (e - lane) / 32);
        const unsigned heads[words_at_once] = {words.x, words.y, words.z, words.w};
        const unsigned before[words_at_once] = {runs.x, runs.y, runs.z, runs.w};
        for (int u = 0; u < words_at_once; ++u) {
            unsigned target = 0;
            if (here[u]) target = memory.tile()[before[u] + __popc(heads[u] & up_to_lane) - 1];
            const int to = e + 32 * u + (static_cast<int>(target) >> 7);
            if (here[u] && !(target & stays_outside)) {
                locals[to] = local_of<Size>(target & 63, column[u]);
                if (each) values[to] = value[u];
            }
            const unsigned leave = __ballot_sync(full_warp, target & stays_outside);
            if (leave == 0) continue;
            if (target & stays_outside) {
                const std::uint32_t place = part.apart + __popc(leave & lower);
                b.extracted_rows[place] = static_cast<std::uint8_t>(target & 63);
                b.extracted_columns[place] = column[u];
                if (each) static_cast<U*>(b.out_values)[b.outside_values() + place] = value[u];
            }
            part.apart += __popc(leave);
        }
    }
    __syncwarp();
    if (NearLocals) stage.write_locals(b);
    if (NearValues) stage.write_values(b);
    __syncwarp();
}

// From the warp's places on, all together, or one row of tiles after the other where the stage holds no more; what it does not
// hold goes to its place at once.
template <int Size, class U>
__device__ void move_parts(const device_tile_build& b, const warp_runs<fill_memory<Size>>& found,
                           const tile_counts& places, int outside_in_first, int outside) {
    using stage = staging<Size, U>;
    constexpr bool each = !std::is_same_v<U, no_value>;
    const offset_t kept = places.kept;
    const warp_part all{0, found.entries, 0, found.entries - outside, places.outside};
    const int middle = __shfl_sync(full_warp, found.start[0], 16), lower = middle - outside_in_first;
    if (each && stage::fits(all.kept)) {
        move_entries<Size, U, true, each>(b, found, kept, all);
    } else if (each && Size == 16 && stage::fits(max(lower, all.kept - lower))) {
        for (int upper = 0; upper < 2; ++upper)
            move_entries<Size, U, true, each>(
                b, found, kept,
                upper ? warp_part{middle, all.end, lower, all.kept - lower, places.outside + outside_in_first}
                      : warp_part{0, middle, 0, lower, places.outside});
    } else if (stage::fits_locals(all.kept)) {
        move_entries<Size, U, true, false>(b, found, kept, all);
    } else {
        move_entries<Size, U, false, false>(b, found, kept, all);
    }
}

template <int Size, class U>
__global__ void __launch_bounds__(runs_block) make_kernel(const __grid_constant__ device_tile_build b) {
    constexpr int group = lane_group<Size>::group;
    __shared__ fill_memory<Size> memory[runs_block / 32];
    const index_t i = tile_row_of_lane<Size>(), first = i & ~(tile_rows_of_warp<Size> - 1);
    const warp_runs found(memory[threadIdx.x / 32], b, first);
    const tile_counts own = found.fit ? count_tiles(b, run_walk(found))
                                      : count_tiles(b, lane_walk<Size>(b.offsets, b.indices, b.rows, i)),
                      lower = from_lane(own, 0);
    const bool is_lower = threadIdx.x % 32 < group;
    const warp_places places = take_places(b, group == 32 ? lower : lower + from_lane(own, 16));
    const row_places at{is_lower ? places.first : places.first + lower, own};
    if (threadIdx.x % group == 0 && i < b.tile_rows) write_ranges(b, i, at.first, own);
    if (!places.room) return;
    if (!found.fit) {
        fill_by_lanes<Size, U>(b, i, at);
        return;
    }
    run_walk walk(found);
    write_tiles<Size>(b, walk, at.first.tiles, places.first.kept,
                      static_cast<int>(at.first.kept - places.first.kept), [&](int r, bool kept, int place) {
                          const int row = walk.lane * walk.rows + r;
                          if (walk.count[r])
                              *walk.at[r] = kept ? run_target(place - walk.first[r], row)
                                                 : stays_outside | static_cast<unsigned>(row);
                      });
    __syncwarp();
    move_parts<Size, U>(b, found, places.first, static_cast<int>(lower.outside),
                        static_cast<int>(lower.outside + (group == 32 ? 0 : from_lane(own, 16).outside)));
}

// A warp for a row of tiles: calls f(column) for each column of tiles that it meets.
template <class F>
__device__ void for_met_columns(const device_tile_lists& l, index_t tile_row, F&& f) {
    const value_tile_arguments& t = l.tiles;
    const unsigned lane = threadIdx.x % 32;
    const storage::tile_range tiles = t.tile_ranges[tile_row], outside = t.extracted_ranges[tile_row];
    for (std::uint32_t k = tiles.begin + lane; k < tiles.end; k += 32) f(t.tile_columns[k]);
    for (std::uint32_t k = outside.begin + lane; k < outside.end; k += 32) f(t.extracted_columns[k] / t.size);
}

__global__ void __launch_bounds__(build_block) list_count_kernel(device_tile_lists l) {
    const auto i = static_cast<index_t>((blockIdx.x * build_block + threadIdx.x) / 32);
    if (i >= l.tile_rows) return;
    for_met_columns(l, i,
                    [&](index_t j) { atomicAdd(reinterpret_cast<unsigned long long*>(l.starts + j), 1ull); });
}
// Each column's counter, which stands at its end, goes down to its start.
__global__ void __launch_bounds__(build_block) list_fill_kernel(device_tile_lists l) {
    const auto i = static_cast<index_t>((blockIdx.x * build_block + threadIdx.x) / 32);
    if (i >= l.tile_rows) return;
    for_met_columns(l, i, [&](index_t j) {
        l.met[atomicAdd(reinterpret_cast<unsigned long long*>(l.starts + j), ~0ull) - 1] = i;
    });
}

// Whose entries take so much shared memory beside their locals that too few warps are left (mesh (x) 6x6: 0.110 ms for 0.089).
bool long_rows_of_64(const device_tile_build& b) {
    return b.size == 64 && b.entries >= offset_t{32} * b.rows;
}

template <int Size>
unsigned blocks_of_runs(const device_tile_build& b) {
    const offset_t lanes = offset_t{b.tile_rows} * lane_group<Size>::group;
    return static_cast<unsigned>((lanes + runs_block - 1) / runs_block);
}

}  // namespace

std::size_t tile_scan_bytes(index_t counts) {
    std::size_t scan = 0;
    offset_t* sums = nullptr;
    check(cub::DeviceScan::InclusiveSum(nullptr, scan, sums, sums, counts));
    return scan;
}

void make_tiles(const device_tile_build& b, void* stream) {
    if (b.value_bytes == 0 && !long_rows_of_64(b)) return make_structure(b, stream);
    by_size(b.size, [&]<int Size>(std::integral_constant<int, Size>) {
        const unsigned blocks = blocks_of_runs<Size>(b);
        if (blocks == 0) return;
        if (b.value_bytes == 0) {
            if constexpr (Size == 64) make_kernel<Size, no_value><<<blocks, runs_block, 0, on(stream)>>>(b);
        } else if (b.value_bytes == 1)
            make_kernel<Size, std::uint8_t><<<blocks, runs_block, 0, on(stream)>>>(b);
        else if (b.value_bytes == 8)
            make_kernel<Size, std::uint64_t><<<blocks, runs_block, 0, on(stream)>>>(b);
        else
            make_kernel<Size, std::uint32_t><<<blocks, runs_block, 0, on(stream)>>>(b);
    });
    check(cudaGetLastError());
}

void list_tiles(const device_tile_lists& l, void* stream) {
    if (l.by_rows) return list_strips(l, stream);
    check(
        cudaMemsetAsync(l.starts, 0, (static_cast<std::size_t>(l.lists) + 1) * sizeof(offset_t), on(stream)));
    const unsigned blocks = blocks_of(offset_t{l.tile_rows} * 32);
    if (blocks) list_count_kernel<<<blocks, build_block, 0, on(stream)>>>(l);
    std::size_t bytes = l.temporary_bytes;
    check(cub::DeviceScan::InclusiveSum(l.temporary, bytes, l.starts, l.starts, l.lists + 1, on(stream)));
    if (blocks) list_fill_kernel<<<blocks, build_block, 0, on(stream)>>>(l);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
