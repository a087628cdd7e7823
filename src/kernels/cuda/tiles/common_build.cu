// CSR to tiles on a GPU (ji2022, sections 3.2.1 and 4.6): as storage/value_tiles.cpp, a group of lanes for a row of tiles.
//
// Who owns what: 16 lanes own a row of tiles of 16, a warp one of 32 or 64 (two rows a lane). A lane stands at the next entry
//   of its row; the group's smallest column of tiles is the next tile, each lane steps over what its row has in it, and the
//   group's sum says whether it is kept. count does so once, fill once more (twice where entries stay outside, whose
//   places by row must be known first).
// Memory: the CSR's columns twice, values once, and the tiles written once. A lane reads its own row, so a warp's loads lie
//   in as many sectors as it has rows; the first-level cache keeps them until the row has used them up.
// Determinism: every place follows from the counts.
// Cost: some 60 instructions a tile and group; rows of tiles that hold many times their neighbours' tiles are a
//   group's alone.
// Distance to the limit (H200): 9 to 15% of the copy rate; lanes read their own rows, an entry at a time.
// Why sorting was not enough: rows are sorted already, and a radix sort of all entries by tile moves them ten times.
#include "kernels/cuda/tiles/common_build.hpp"
#include "kernels/cuda/tiles/common_walk.cuh"

#include <cub/device/device_scan.cuh>

#include <algorithm>

namespace nz::kernels::cuda {
namespace {

template <int Size>
__global__ void __launch_bounds__(build_block) count_kernel(device_tile_build b) {
    const index_t i = tile_row_of_group<Size>();
    if (i > b.tile_rows) return;
    std::uint32_t kept = 0;
    offset_t outside = 0;
    if (i < b.tile_rows) {
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; (column = walk.next()) != none; walk.step()) {
            const int entries = walk.measure(column);
            if (entries >= b.least_entries)
                ++kept;
            else
                outside += entries;
        }
    }
    if (threadIdx.x % lane_walk<Size>::group == 0) {
        b.tile_starts[i] = kept;
        b.extracted_starts[i] = outside;
    }
}

template <int Size>
using local_type = std::conditional_t<Size == 16, std::uint8_t, std::uint16_t>;

template <int Size, class U>
__device__ void fill_tile(const device_tile_build& b, lane_walk<Size>& walk, offset_t tile, offset_t place) {
    using local = local_type<Size>;
    constexpr int bits = Size == 16 ? 4 : 6;
    int before = walk.before(walk.rows == 2 ? walk.count[0] + walk.count[walk.rows - 1] : walk.count[0]);
    for (int r = 0; r < walk.rows; ++r) {
        const int row = walk.lane * walk.rows + r;
        static_cast<local*>(b.row_starts)[tile * Size + row] = static_cast<local>(before);
        for (int e = 0; e < walk.count[r]; ++e) {
            const offset_t source = walk.at[r] + e, to = place + before + e;
            static_cast<local*>(b.locals)[to] =
                static_cast<local>(row << bits | (b.indices[source] & (Size - 1)));
            if (b.value_bytes) static_cast<U*>(b.out_values)[to] = static_cast<const U*>(b.values)[source];
        }
        before += walk.count[r];
    }
}

template <int Size, class U>
__device__ void fill_outside(const device_tile_build& b, lane_walk<Size>& walk,
                             offset_t (&apart)[lane_walk<Size>::rows]) {
    for (int r = 0; r < walk.rows; ++r)
        for (int e = 0; e < walk.count[r]; ++e) {
            const offset_t source = walk.at[r] + e, to = apart[r]++;
            b.extracted_rows[to] = static_cast<std::uint8_t>(walk.lane * walk.rows + r);
            b.extracted_columns[to] = b.indices[source];
            if (b.value_bytes)
                static_cast<U*>(b.out_values)[b.kept + to] = static_cast<const U*>(b.values)[source];
        }
}

template <int Size, class U>
__global__ void __launch_bounds__(build_block) fill_kernel(device_tile_build b) {
    constexpr int rows = lane_walk<Size>::rows;
    const index_t i = tile_row_of_group<Size>();
    if (i >= b.tile_rows) {
        if (i == b.tile_rows && threadIdx.x % lane_walk<Size>::group == 0) b.entry_starts[b.tiles] = b.kept;
        return;
    }
    const device_offsets offsets{b.offsets.data, b.offsets.wide};
    offset_t tile = b.tile_starts[i], apart[rows] = {};
    const offset_t outside = b.extracted_starts[i];
    offset_t place = offsets[offset_t{i} * Size] - outside;
    if (b.extracted_starts[i + 1] != outside) {
        int mine[rows] = {};
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; (column = walk.next()) != none; walk.step())
            if (walk.measure(column) < b.least_entries)
                for (int r = 0; r < rows; ++r) mine[r] += walk.count[r];
        apart[0] = outside + walk.before(rows == 2 ? mine[0] + mine[rows - 1] : mine[0]);
        if (rows == 2) apart[rows - 1] = apart[0] + mine[0];
    }
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    for (unsigned column; (column = walk.next()) != none; walk.step()) {
        const int entries = walk.measure(column);
        if (entries < b.least_entries) {
            fill_outside<Size, U>(b, walk, apart);
            continue;
        }
        if (walk.lane == 0) {
            b.tile_columns[tile] = static_cast<index_t>(column);
            b.entry_starts[tile] = place;
        }
        fill_tile<Size, U>(b, walk, tile, place);
        ++tile;
        place += entries;
    }
}

// A warp for a row of tiles: calls f(column) for each column of tiles that it meets.
template <class F>
__device__ void for_met_columns(const device_tile_lists& l, index_t tile_row, F&& f) {
    const value_tile_arguments& t = l.tiles;
    const unsigned lane = threadIdx.x % 32;
    for (std::uint32_t k = t.tile_starts[tile_row] + lane; k < t.tile_starts[tile_row + 1]; k += 32)
        f(t.tile_columns[k]);
    for (offset_t k = t.extracted_starts[tile_row] + lane; k < t.extracted_starts[tile_row + 1]; k += 32)
        f(t.extracted_columns[k] / t.size);
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
        l.rows[atomicAdd(reinterpret_cast<unsigned long long*>(l.starts + j), ~0ull) - 1] = i;
    });
}

}  // namespace

std::size_t tile_scan_bytes(index_t counts) {
    std::size_t wide = 0, narrow = 0;
    offset_t* sums = nullptr;
    std::uint32_t* few = nullptr;
    check(cub::DeviceScan::InclusiveSum(nullptr, wide, sums, sums, counts));
    check(cub::DeviceScan::ExclusiveSum(nullptr, narrow, few, few, counts));
    return std::max(wide, narrow);
}

void count_tiles(const device_tile_build& b, void* stream) {
    const index_t counts = b.tile_rows + 1;
    by_size(b.size, [&]<int Size>(std::integral_constant<int, Size>) {
        count_kernel<Size>
            <<<blocks_of(offset_t{counts} * lane_walk<Size>::group), build_block, 0, on(stream)>>>(b);
    });
    check(cudaGetLastError());
    std::size_t bytes = b.temporary_bytes;
    check(
        cub::DeviceScan::ExclusiveSum(b.temporary, bytes, b.tile_starts, b.tile_starts, counts, on(stream)));
    check(cub::DeviceScan::ExclusiveSum(b.temporary, bytes, b.extracted_starts, b.extracted_starts, counts,
                                        on(stream)));
}

void fill_tiles(const device_tile_build& b, void* stream) {
    by_size(b.size, [&]<int Size>(std::integral_constant<int, Size>) {
        const unsigned blocks = blocks_of((offset_t{b.tile_rows} + 1) * lane_walk<Size>::group);
        if (b.value_bytes == 1)
            fill_kernel<Size, std::uint8_t><<<blocks, build_block, 0, on(stream)>>>(b);
        else if (b.value_bytes == 8)
            fill_kernel<Size, std::uint64_t><<<blocks, build_block, 0, on(stream)>>>(b);
        else
            fill_kernel<Size, std::uint32_t><<<blocks, build_block, 0, on(stream)>>>(b);
    });
    check(cudaGetLastError());
}

void list_tiles(const device_tile_lists& l, void* stream) {
    check(cudaMemsetAsync(l.starts, 0, (static_cast<std::size_t>(l.tile_columns) + 1) * sizeof(offset_t),
                          on(stream)));
    const unsigned blocks = blocks_of(offset_t{l.tile_rows} * 32);
    if (blocks) list_count_kernel<<<blocks, build_block, 0, on(stream)>>>(l);
    std::size_t bytes = l.temporary_bytes;
    check(cub::DeviceScan::InclusiveSum(l.temporary, bytes, l.starts, l.starts, l.tile_columns + 1,
                                        on(stream)));
    if (blocks) list_fill_kernel<<<blocks, build_block, 0, on(stream)>>>(l);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
