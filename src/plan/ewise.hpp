// How ewise/balanced_path shares out work, and the memory that it needs for it: stated here, divided by the kernels.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <cstdint>

namespace nz::plan {

/// Where the path is cut: before position a of A and b of B, in `row` (the number of rows at the end).
struct ewise_cut {
    offset_t a, b;
    index_t row;
};

// On a CPU.

/// Entries of a piece of the path at most, so that positions within one have 32 bits.
inline constexpr offset_t ewise_piece_entries = offset_t{1} << 30;
/// Rows that are compared as a whole: enough for one comparison of memory to pay, few enough for the caches.
inline constexpr index_t ewise_block_rows = 64;

/// A piece a thread, unless they would be too large.
constexpr int ewise_pieces(offset_t entries, int threads) {
    return static_cast<int>(std::max<offset_t>(threads, entries / ewise_piece_entries + 1));
}

/// The workspace on a CPU, divided. Of each step of the path, an entry of A or of B, `of_a` says whether it is A's, and
/// `pairs` whether B's entry of the same place comes next; nothing is said in blocks of rows that are the same on both sides.
/// The bits of piece p begin at byte bits_of(p, its first cut).
struct ewise_path {
    offset_t* starts;        ///< [pieces + 1]: the results before each piece
    ewise_cut* cuts;         ///< [pieces + 1]
    index_t* pairs_of_rows;  ///< [rows + pieces]: of the part of row r in piece p at r + p
    std::uint8_t* same;      ///< [rows / ewise_block_rows]: of blocks that lie in one piece
    std::byte *of_a, *pairs;

    ewise_path(void* memory, offset_t rows, offset_t entries, int pieces) {
        workspace_parts parts(memory);
        starts = parts.take<offset_t>(pieces + 1);
        cuts = parts.take<ewise_cut>(pieces + 1);
        pairs_of_rows = parts.take<index_t>(rows + pieces);
        same = parts.take<std::uint8_t>(rows / ewise_block_rows);
        of_a = parts.take<std::byte>(bits_of(pieces, {entries, 0, 0}));
        pairs = parts.take<std::byte>(bits_of(pieces, {entries, 0, 0}));
    }
    /// Up to 64 bytes are written at a time.
    static constexpr offset_t bits_of(int piece, const ewise_cut& from) {
        return (from.a + from.b) / 8 + offset_t{piece} * 80;
    }
};
constexpr std::size_t ewise_path_workspace(offset_t rows, offset_t entries, int threads) {
    const int pieces = ewise_pieces(entries, threads);
    const auto n = static_cast<std::size_t>(pieces), m = static_cast<std::size_t>(rows);
    return padded((n + 1) * sizeof(offset_t)) + padded((n + 1) * sizeof(ewise_cut)) +
           padded((m + n) * sizeof(index_t)) + padded(m / ewise_block_rows) +
           2 * padded(static_cast<std::size_t>(ewise_path::bits_of(pieces, {entries, 0, 0})));
}

// On a GPU.

/// Entries of the path that a word describes: one fewer than it has bits, so that threads which read columns as many apart meet
/// other banks of shared memory.
inline constexpr int ewise_word_entries = 31;
inline constexpr int ewise_tile_words = 64;
/// Entries that a tile may hold.
inline constexpr int ewise_tile_entries = ewise_tile_words * ewise_word_entries;
/// Steps of the path (entries of A, entries of B, ends of rows) from one cut to the next: a cut may fall one entry late,
/// so that a pair stays whole.
inline constexpr offset_t ewise_tile_steps = ewise_tile_entries - 1;
/// Tiles whose results are added up while they are counted.
inline constexpr int ewise_group_tiles = 256;

/// One at least, which writes the first offset of C.
constexpr offset_t ewise_tiles(offset_t rows, offset_t a_entries, offset_t b_entries) {
    return std::max<offset_t>(1, (rows + a_entries + b_entries + ewise_tile_steps - 1) / ewise_tile_steps);
}
constexpr offset_t ewise_groups(offset_t tiles) {
    return (tiles + ewise_group_tiles - 1) / ewise_group_tiles;
}

/// Some entries of the path: which are A's, which have an equal on the other side, which are results; and what is before
/// them in the tile: entries of A, and results << 16.
struct alignas(16) ewise_word {
    std::uint32_t of_a, paired, results, before;
};

/// The workspace on a GPU, divided.
struct ewise_parts {
    offset_t* group_results;  ///< [groups]: their sums make the results
    ewise_cut* cuts;          ///< [tiles + 1]
    std::int32_t* results;    ///< [tiles]
    ewise_word* words;        ///< [tiles][ewise_tile_words]

    ewise_parts(void* memory, offset_t tiles) {
        workspace_parts parts(memory);
        group_results = parts.take<offset_t>(ewise_groups(tiles));
        cuts = parts.take<ewise_cut>(tiles + 1);
        results = parts.take<std::int32_t>(tiles);
        words = parts.take<ewise_word>(tiles * ewise_tile_words);
    }
};
constexpr std::size_t ewise_workspace(offset_t tiles) {
    const auto n = static_cast<std::size_t>(tiles);
    return padded(static_cast<std::size_t>(ewise_groups(tiles)) * sizeof(offset_t)) +
           padded((n + 1) * sizeof(ewise_cut)) + padded(n * sizeof(std::int32_t)) +
           padded(n * ewise_tile_words * sizeof(ewise_word));
}

}  // namespace nz::plan
