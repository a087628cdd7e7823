// How ewise/balanced_path shares out work on a GPU, and the memory that it needs for it: stated here, divided by the
// kernels.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <cstdint>

namespace nz::plan {

/// Entries that a tile may hold: eight for each of 256 threads.
inline constexpr int ewise_tile_entries = 2048;
/// Steps of the path (entries of A, entries of B, ends of rows) from one cut to the next: a cut may fall one entry late,
/// so that a pair stays whole.
inline constexpr offset_t ewise_tile_steps = ewise_tile_entries - 1;
/// Words of 32 entries each.
inline constexpr int ewise_tile_words = ewise_tile_entries / 32;
/// Tiles whose results are added up while they are counted: as many as a block has threads to scan them.
inline constexpr int ewise_group_tiles = 256;

/// One at least, which writes the first offset of C.
constexpr offset_t ewise_tiles(offset_t rows, offset_t a_entries, offset_t b_entries) {
    return std::max<offset_t>(1, (rows + a_entries + b_entries + ewise_tile_steps - 1) / ewise_tile_steps);
}
constexpr offset_t ewise_groups(offset_t tiles) {
    return (tiles + ewise_group_tiles - 1) / ewise_group_tiles;
}

/// Where the path is cut: before position a of A and b of B, in `row` (the number of rows at the end).
struct ewise_cut {
    offset_t a, b;
    index_t row;
};
/// 32 entries of the path: which are A's, which have an equal on the other side, which are results; and what is before
/// them in the tile: entries of A, and results << 16.
struct alignas(16) ewise_word {
    std::uint32_t of_a, paired, results, before;
};

/// The workspace, divided. `starts` stands first: its last is the number of results, for the host to read.
struct ewise_parts {
    offset_t* starts;         ///< [tiles + 1]: the results before each tile
    offset_t* group_results;  ///< [groups]
    ewise_cut* cuts;          ///< [tiles + 1]
    std::int32_t* results;    ///< [tiles]
    ewise_word* words;        ///< [tiles][ewise_tile_words]

    ewise_parts(void* memory, offset_t tiles) {
        workspace_parts parts(memory);
        starts = parts.take<offset_t>(tiles + 1);
        group_results = parts.take<offset_t>(ewise_groups(tiles));
        cuts = parts.take<ewise_cut>(tiles + 1);
        results = parts.take<std::int32_t>(tiles);
        words = parts.take<ewise_word>(tiles * ewise_tile_words);
    }
};
constexpr std::size_t ewise_workspace(offset_t tiles) {
    const auto n = static_cast<std::size_t>(tiles);
    return padded((n + 1) * sizeof(offset_t)) +
           padded(static_cast<std::size_t>(ewise_groups(tiles)) * sizeof(offset_t)) +
           padded((n + 1) * sizeof(ewise_cut)) + padded(n * sizeof(std::int32_t)) +
           padded(n * ewise_tile_words * sizeof(ewise_word));
}

}  // namespace nz::plan
