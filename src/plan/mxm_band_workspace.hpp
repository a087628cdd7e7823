// mxm/dia_dia on a GPU: the diagonals of both factors and how they meet, and the bytes that it needs.
#pragma once

#include "plan/workspace.hpp"

#include <cstdint>

namespace nz::plan {

/// Diagonals of a factor, of the result, and how far apart the result's may lie.
inline constexpr int band_most = 64, band_most_result = 128, band_most_width = 4096;
/// Rows that are looked at before all are.
inline constexpr int band_samples = 256;
inline constexpr std::uint8_t band_no_pair = 255;

/// The diagonals of a row in the middle of A, of one of the rows of B that it names, and of the result; 0 of A's: no band.
struct mxm_band {
    int a, b, c;
    int alike;  ///< of band_samples rows, those of A and B with these diagonals
    index_t a_shifts[band_most], b_shifts[band_most], c_shifts[band_most_result];
    /// The diagonal of B that A's meets for one of the result's, or band_no_pair.
    std::uint8_t pairs[band_most][band_most_result];

    int rows_between() const { return a ? a_shifts[a - 1] - a_shifts[0] : 0; }
};

struct mxm_band_parts {
    mxm_band* band;
    std::uint8_t *a_rows, *b_rows;  ///< 1: has the diagonals
    std::uint8_t* inside;           ///< 1: the row of A, and all rows of B that it names

    mxm_band_parts(void* memory, index_t rows, index_t inner) {
        workspace_parts parts(memory);
        band = parts.take<mxm_band>(1);
        a_rows = parts.take<std::uint8_t>(rows);
        b_rows = parts.take<std::uint8_t>(inner);
        inside = parts.take<std::uint8_t>(rows);
    }
};
constexpr std::size_t mxm_band_bytes(index_t rows, index_t inner) {
    return padded(sizeof(mxm_band)) + 2 * padded(static_cast<std::size_t>(rows)) +
           padded(static_cast<std::size_t>(inner));
}

/// Rows of a tile, and what it has in shared memory: both factors' and the result's values, rows an odd number of values apart so
/// that lanes of a warp, a row each, do not meet; where rows begin; the pairs.
constexpr int band_stride(int diagonals) { return diagonals | 1; }
constexpr std::size_t band_tile_bytes(int tile_rows, int a, int b, int c, int between,
                                      std::size_t operand_bytes, std::size_t value_bytes) {
    const auto n = static_cast<std::size_t>(tile_rows), m = static_cast<std::size_t>(tile_rows + between);
    return padded(n * static_cast<std::size_t>(band_stride(a)) * operand_bytes) +
           padded(m * static_cast<std::size_t>(band_stride(b)) * operand_bytes) +
           padded(n * static_cast<std::size_t>(band_stride(c)) * value_bytes) +
           2 * padded(n * sizeof(offset_t)) + padded(m * sizeof(offset_t)) +
           padded(static_cast<std::size_t>(a) * static_cast<std::size_t>((c + 3) / 4 * 4));
}
/// Tiles that leave room for three blocks a multiprocessor, the most rows first; where none does, as few as a warp has.
inline constexpr int band_tiles[] = {128, 96, 64, 32};
inline constexpr std::size_t band_tile_room = std::size_t{72} << 10, band_tile_most = std::size_t{200} << 10;
/// Rows of a tile, or 0 where not even a warp's fit.
constexpr int band_tile_rows(int a, int b, int c, int between, std::size_t operand_bytes,
                             std::size_t value_bytes) {
    if (a == 0) return 0;
    for (const int rows : band_tiles)
        if (band_tile_bytes(rows, a, b, c, between, operand_bytes, value_bytes) <= band_tile_room)
            return rows;
    return band_tile_bytes(32, a, b, c, between, operand_bytes, value_bytes) <= band_tile_most ? 32 : 0;
}

}  // namespace nz::plan
