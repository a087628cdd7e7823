// Tiles of rows for products of two bands stored by diagonals on a GPU.
#pragma once

#include "plan/workspace.hpp"

namespace nz::plan {

/// Neighbouring rows that a lane has, and diagonals of C that it adds up together: each value of B that it reads is used for up to
/// stored_rows of them, each of A for stored_together. More of either take registers that leave no room for so many blocks.
inline constexpr int stored_rows = 2, stored_together = 6, stored_blocks = 4;
/// Pairs of diagonals from which tiles are worth their bringing: 3 by 3 took as long without (one H100), 5 by 5 longer.
inline constexpr std::size_t stored_least_pairs = 9;

/// Where even rows of a diagonal lie side by side in shared memory, how far from them the odd ones: such that neither lanes with
/// neighbouring rows (filling) nor those with every other (adding) meet in a bank.
constexpr int stored_pitch(int rows) {
    constexpr int step = 16 / stored_rows;
    const int each = (rows + stored_rows - 1) / stored_rows;
    return each + (3 * step - each % (2 * step)) % (2 * step);
}
constexpr std::size_t stored_tile_bytes(int tile_rows, int a_band, int b_band, std::size_t operand_bytes) {
    const auto part = [&](int diagonals, int rows) {
        return padded(static_cast<std::size_t>(diagonals * stored_pitch(rows) * stored_rows) * operand_bytes);
    };
    return part(a_band, tile_rows) + part(b_band, tile_rows + a_band - 1);
}
/// Tiles that leave room for stored_blocks of them a multiprocessor, the most rows first; where none does, as few as a warp has.
inline constexpr int stored_tiles[] = {256, 128, 64};
inline constexpr std::size_t stored_tile_room = std::size_t{55} << 10,
                             stored_tile_most = std::size_t{220} << 10;
/// Rows of a tile, or 0 where not even a warp's fit.
constexpr int stored_tile_rows(int a_band, int b_band, std::size_t operand_bytes) {
    constexpr int most_diagonals = 1 << 12;  // no tile has room for so many
    if (a_band > most_diagonals || b_band > most_diagonals) return 0;
    for (const int rows : stored_tiles)
        if (stored_tile_bytes(rows, a_band, b_band, operand_bytes) <= stored_tile_room) return rows;
    return stored_tile_bytes(64, a_band, b_band, operand_bytes) <= stored_tile_most ? 64 : 0;
}

}  // namespace nz::plan
