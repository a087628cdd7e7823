// What the builders of value tiles have in common: locals, what is said of a tile, and rows of tiles that shared memory does not
// hold, which are walked in the CSR.
#pragma once

#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

__device__ inline bool keeps(const device_tile_build& b, int entries) {
    return entries > 0 && entries >= b.least_entries;
}

template <int Size>
using local_type = std::conditional_t<Size == 16, std::uint8_t, std::uint16_t>;
template <int Size>
__device__ local_type<Size> local_of(int row, index_t column) {
    constexpr int bits = Size == 16 ? 4 : 6;
    return static_cast<local_type<Size>>(row << bits | (column & (Size - 1)));
}

// Writes what is said of each tile of a row of tiles, from `tile` on, whose entries begin at base + place, and calls
// f(r, kept, place of the row's first entry) for each row of the lane.
template <int Size, class Walk, class Place, class F>
__device__ void write_tiles(const device_tile_build& b, Walk& walk, std::uint32_t tile, offset_t base,
                            Place place, F&& f) {
    using local = local_type<Size>;
    local* const row_starts = static_cast<local*>(b.row_starts) + walk.lane * walk.rows;
    for (unsigned column; walk.on(column = walk.next()); walk.step()) {
        walk.take(column);
        const int up_to = walk.up_to(walk.mine()), entries = walk.of_last(up_to);
        const bool kept = keeps(b, entries);
        if (kept && walk.lane == 0) {
            b.tile_columns[tile] = static_cast<index_t>(column);
            b.entry_starts[tile] = base + place;
        }
        int before = up_to - walk.mine();
        for (int r = 0; r < walk.rows; ++r) {
            if (kept) row_starts[std::size_t{tile} * Size + r] = static_cast<local>(before);
            f(r, kept, place + before);
            before += walk.count[r];
        }
        tile += kept;
        place += kept ? entries : 0;
    }
}

// What a lane's row of tiles has, `count`, and from where on.
struct row_places {
    tile_counts first, count;
};

// Counts what the walk meets; all lanes of the group have it.
template <class Walk>
__device__ tile_counts count_tiles(const device_tile_build& b, Walk&& walk) {
    tile_counts c;
    for (unsigned column; walk.on(column = walk.next()); walk.step()) {
        walk.take(column);
        const int entries = walk.sum(walk.mine());
        if (keeps(b, entries))
            ++c.tiles, c.kept += entries;
        else
            c.outside += entries;
    }
    return c;
}

struct no_value {};

// Rows that shared memory does not hold. Entries outside are sorted by row, so each row's places are known once all are
// counted.
template <int Size, class U>
__device__ void fill_by_lanes(const device_tile_build& b, index_t i, const row_places& at) {
    constexpr int rows = lane_group<Size>::rows;
    std::uint32_t apart[rows] = {};
    if (__any_sync(full_warp, at.count.outside)) {
        int mine[rows] = {};
        lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
        for (unsigned column; walk.on(column = walk.next()); walk.step())
            if (!keeps(b, walk.measure(column)))
                for (int r = 0; r < rows; ++r) mine[r] += walk.count[r];
        apart[0] = at.first.outside + walk.before(rows == 2 ? mine[0] + mine[rows - 1] : mine[0]);
        if (rows == 2) apart[rows - 1] = apart[0] + mine[0];
    }
    const U* const values = static_cast<const U*>(b.values);
    lane_walk<Size> walk(b.offsets, b.indices, b.rows, i);
    write_tiles<Size>(b, walk, at.first.tiles, 0, at.first.kept, [&](int r, bool kept, std::uint32_t first) {
        const int row = walk.lane * rows + r;
        for (int e = 0; e < walk.count[r]; ++e) {
            const offset_t source = walk.at[r] + e;
            const index_t column = b.indices[source];
            offset_t to = offset_t{first} + e;
            if (kept) {
                static_cast<local_type<Size>*>(b.locals)[to] = local_of<Size>(row, column);
            } else {
                to = apart[r]++;
                b.extracted_rows[to] = static_cast<std::uint8_t>(row);
                b.extracted_columns[to] = column;
                to += b.outside_values();
            }
            if (!std::is_same_v<U, no_value>) static_cast<U*>(b.out_values)[to] = values[source];
        }
    });
}

// Entries in the order of tiles, from the matrix's entry `first` on, which stand as far into a word at `near` as there.
template <int Size>
__device__ void write_locals(const device_tile_build& b, const unsigned char* near, offset_t first,
                             int count) {
    using local = local_type<Size>;
    constexpr int per_word = 4 / sizeof(local);
    const int skip = static_cast<int>(first % per_word), end = skip + count;
    local* const to = static_cast<local*>(b.locals) + (first - skip);
    const auto* words = reinterpret_cast<const unsigned*>(near);
    for (int w = static_cast<int>(threadIdx.x % 32); w * per_word < end; w += 32) {
        if (w * per_word >= skip && (w + 1) * per_word <= end) {
            reinterpret_cast<unsigned*>(to)[w] = words[w];
            continue;
        }
        for (int e = w * per_word; e < (w + 1) * per_word; ++e)
            if (e >= skip && e < end) to[e] = reinterpret_cast<const local*>(near)[e];
    }
}

}  // namespace nz::kernels::cuda
