// How a block of mxm/two_level_sort comes by a tile of a ranged row: the products of a range of columns, of which each entry of the row
// has a piece of its row of B.
#pragma once

#include "kernels/cuda/mxm/common_products.cuh"

namespace nz::kernels::cuda {

/// A tile of a ranged row, and its entries of A.
struct range_tile {
    index_t row;
    int entries;
    offset_t first, entry, slot;  // the row's first tile, its first entry, and where the tile's begins stand
    bool last;

    __device__ range_tile(const plan::mxm_sort_entries& parts, const plan::mxm_range_parts& ranges,
                          device_offsets a, offset_t tile)
        : row(ranges.rows[tile]) {
        const plan::range_start before = parts.ranges[row];
        first = before.tiles;
        entry = a[row];
        entries = static_cast<int>(a[row + offset_t{1}] - entry);
        slot = before.slots + (tile - first) * entries;
        last = tile + 1 == parts.ranges[row + offset_t{1}].tiles;
    }
};

/// The pieces of a range in shared memory: which entry each is of, and by how much its products' entries of B lie beyond their numbers in
/// the tile.
struct range_pieces {
    offset_t of_b[plan::most_ranged_entries];
    std::uint16_t entry[plan::most_ranged_entries];
};

/// Finds the piece of each product; all have read nothing of `begins` before.
__device__ inline found_pieces find_range(const range_tile& tile, const plan::mxm_range_parts& ranges,
                                          const device_mxm_side& a, device_offsets b, int* begins,
                                          int* warp_last, range_pieces& pieces, int (&piece)[sort_each]) {
    const index_t* const here = ranges.begins + tile.slot;
    const auto row_of_b = [&](index_t i) { return offset_t{__ldg(a.columns + tile.entry + i)}; };
    return find_pieces(
        0, tile.entries, static_cast<int>(plan::sort_tile), begins, warp_last, piece,
        [&](index_t i) {
            const offset_t k = row_of_b(i);
            const int begin = here[i],
                      end = tile.last ? static_cast<int>(b[k + 1] - b[k]) : here[tile.entries + i];
            return tile_piece{begin, end - begin};
        },
        [&](int number, index_t i, int begin, int start) {
            pieces.of_b[number] = b[row_of_b(i)] + begin - start;
            pieces.entry[number] = static_cast<std::uint16_t>(i);
        });
}

}  // namespace nz::kernels::cuda
