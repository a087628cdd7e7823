// mxm/dia_dia on a GPU: the diagonals of both factors and how they meet, and the bytes that it needs.
#pragma once

#include "plan/workspace.hpp"

#include <cstdint>

namespace nz::plan {

/// Diagonals of a factor and of the result.
inline constexpr int band_most = 64, band_most_result = 128;
/// Rows that are looked at before all are.
inline constexpr int band_samples = 256;
/// Rows that a tile may have, the most first.
inline constexpr int band_tile_sizes = 3, band_tiles[band_tile_sizes] = {128, 64, 32};

/// How many diagonals A, B and the result have; 0 of A's: no band.
struct mxm_band_shape {
    int a, b, c;
    int inside;  ///< of band_samples rows of A, those with these diagonals whose rows of B seem to have them too
    int staged[band_tile_sizes];  ///< rows of B that a tile of each size needs
};

/// A diagonal of A and the diagonal of B that it meets.
struct mxm_band_pair {
    std::uint8_t a, b;
};

/// The diagonals that most of some rows have.
struct mxm_band {
    mxm_band_shape shape;
    index_t a_shifts[band_most], b_shifts[band_most], c_shifts[band_most_result];
    /// Where, among the rows of B of a tile of each size, those begin that a diagonal of A names. Diagonals less than a tile apart
    /// share rows, others have their own: the gap between them is not read.
    int begins_of_b[band_tile_sizes][band_most];
    /// The pairs of each of the result's diagonals, from pair_starts on, in the order of A's.
    int pair_starts[band_most_result + 1];
    mxm_band_pair pairs[band_most * band_most];
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

/// What a tile has in shared memory, in bytes from its beginning: both factors' and the result's values, rows an odd number of
/// values apart so that lanes of a warp, a row each, do not meet; where rows begin; and the pairs.
struct band_tile {
    int rows, staged, a_stride, b_stride, c_stride;
    unsigned a = 0, b, c, a_rows, b_rows, c_begins, pair_starts, pairs, bytes;

    constexpr band_tile(const mxm_band_shape& band, int size, std::size_t operand_bytes,
                        std::size_t value_bytes)
        : rows(band_tiles[size]),
          staged(band.staged[size]),
          a_stride(band.a | 1),
          b_stride(band.b | 1),
          c_stride(band.c | 1) {
        const auto end = [](unsigned from, int count, std::size_t bytes_each) {
            return from + static_cast<unsigned>(padded(static_cast<std::size_t>(count) * bytes_each));
        };
        b = end(a, rows * a_stride, operand_bytes);
        c = end(b, staged * b_stride, operand_bytes);
        a_rows = end(c, rows * c_stride, value_bytes);
        b_rows = end(a_rows, rows, sizeof(void*));
        c_begins = end(b_rows, staged, sizeof(void*));
        pair_starts = end(c_begins, rows, sizeof(offset_t));
        pairs = end(pair_starts, band.c + 1, sizeof(int));
        bytes = end(pairs, band.a * band.b + 1, sizeof(unsigned));  // one is read beyond the last
    }
};
/// Tiles that leave room for three blocks a multiprocessor, the most rows first; where none does, as few as a warp has.
inline constexpr unsigned band_tile_room = 72 << 10, band_tile_most = 200 << 10;
/// Which of band_tiles, or -1 where not even a warp's rows fit.
constexpr int band_tile_of(const mxm_band_shape& band, std::size_t operand_bytes, std::size_t value_bytes) {
    if (band.a == 0) return -1;
    const auto bytes = [&](int size) { return band_tile(band, size, operand_bytes, value_bytes).bytes; };
    for (int size = 0; size < band_tile_sizes; ++size)
        if (bytes(size) <= band_tile_room) return size;
    constexpr int last = band_tile_sizes - 1;
    return bytes(last) <= band_tile_most ? last : -1;
}

}  // namespace nz::plan
