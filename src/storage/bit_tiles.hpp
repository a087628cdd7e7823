// Bit tiles (ji2022, 3.2.3): the structure of a matrix as bit masks, tile by tile. What graph searches read who take the
// edges of 32 or 64 vertices at once.
#pragma once

#include "storage/csr.hpp"
#include "storage/tile_range.hpp"

#include <bit>
#include <cstdint>

namespace nz::storage {

/// One tile of `size` x `size` places that holds an entry. Its words lie one after the other, one for each occupied row:
/// that of row r is words[start + popcount(occupied & (bit r - 1))], where bit c stands for column c of the tile.
/// Whoever asks for all of its rows, or has all of its columns, need not look at the words.
template <class Word>
struct alignas(sizeof(Word) == 4 ? 16 : 8) tile_header {
    std::uint32_t column;  ///< of tiles: columns column * size, column * size + 1...
    std::uint32_t start;   ///< its first word
    Word occupied;         ///< bit r: row r of the tile holds an entry
    Word reach;            ///< bit c: column c does: its words, united
};

/// The paper keeps a word for every row of a tile; here empty rows have none. Word is the unsigned type of `size` bits. Tiles
/// with fewer than least_entries entries are no tiles: their entries stand in the extracted list, each by itself. Rows of tiles
/// have their parts of the arrays in their order where a CPU made them, in any where a GPU did, and there may be room behind.
struct bit_tiles {
    index_t rows = 0, columns = 0;
    int size = 64;          ///< 32 or 64
    int least_entries = 0;  ///< in a tile
    offset_t tiles = 0, words = 0, nnz = 0, extracted = 0;
    buffer tile_ranges;        ///< tile_range[tile_rows]: the tiles of each tile row, columns ascending
    buffer headers;            ///< tile_header<Word>[tiles]
    buffer row_words;          ///< Word[words]
    buffer extracted_ranges;   ///< tile_range[tile_rows]
    buffer extracted_rows;     ///< uint8[extracted]: the row within the tile row
    buffer extracted_columns;  ///< index_t[extracted], ascending by (row, column) within a tile row
    double kernel_ms = -1;     ///< that a GPU took to make them

    index_t tile_rows() const { return static_cast<index_t>((offset_t{rows} + size - 1) / size); }
    index_t tile_columns() const { return static_cast<index_t>((offset_t{columns} + size - 1) / size); }
    const tile_range* tile_range_data() const { return tile_ranges.as<const tile_range>(); }
    const tile_range* extracted_range_data() const { return extracted_ranges.as<const tile_range>(); }
    template <class Word>
    const tile_header<Word>* header_data() const {
        return headers.as<const tile_header<Word>>();
    }
    std::size_t bytes() const {
        return tile_ranges.bytes() + headers.bytes() + row_words.bytes() + extracted_ranges.bytes() +
               extracted_rows.bytes() + extracted_columns.bytes();
    }
};

/// Calls f(std::type_identity<Word>{}) with the unsigned type of `size` bits: 16 (samples only), 32 or 64.
template <class F>
decltype(auto) with_tile_word(int size, F&& f) {
    return size == 64   ? f(std::type_identity<std::uint64_t>{})
           : size == 32 ? f(std::type_identity<std::uint32_t>{})
                        : f(std::type_identity<std::uint16_t>{});
}

/// The tiles of a's structure; a's columns ascend within its rows. Throws not_supported where tiles, words or extracted
/// entries do not fit 32 bits.
bit_tiles make_bit_tiles(const context& ctx, const csr& a, int size, int least_entries);
/// The entries again, as a pattern.
csr to_csr(const context& ctx, const bit_tiles& a);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const bit_tiles& a, const char* what);

/// What 256 tile rows, evenly spread, say of all: what tiles would take, before they are built.
struct tile_sample {
    static constexpr int most_least = 16;  ///< thresholds up to here are told apart
    int size = 0;                          ///< 16, 32 or 64
    double tiles = 0, words = 0;           ///< tiles and their occupied rows, over entries
    /// Of those, tiles with k entries and their rows, over entries.
    double few_tiles[most_least] = {}, few_words[most_least] = {};

    /// Entries in an occupied row of a tile, on average.
    constexpr double entries_a_word() const { return words > 0 ? 1 / words : 0; }
    /// Occupied rows of a tile, on average.
    constexpr double words_a_tile() const { return tiles > 0 ? words / tiles : 0; }

    friend bool operator==(const tile_sample&, const tile_sample&) = default;
};
tile_sample sample_tiles(const csr& a, int size);

/// Of bit tiles, over entries.
struct tile_shares {
    double tiles, words, extracted;
};
/// What the sample foresees, thresholds above most_least as that.
constexpr tile_shares expected_shares(const tile_sample& s, int least_entries) {
    tile_shares all{s.tiles, s.words, 0};
    for (int k = 1; k < least_entries && k < tile_sample::most_least; ++k) {
        all.tiles -= s.few_tiles[k];
        all.words -= s.few_words[k];
        all.extracted += k * s.few_tiles[k];
    }
    return all;
}

/// A GPU makes bit tiles in one pass, with room for so many times what is foreseen.
inline constexpr double device_tile_room = 1.1;

/// Bytes of the bit tiles that the sample foresees.
constexpr std::size_t expected_bytes(const tile_sample& s, offset_t rows, offset_t nnz, int least_entries) {
    const int word = s.size / 8, header = 2 * word + 8, extracted_entry = 5;
    const tile_shares all = expected_shares(s, least_entries);
    const double an_entry = all.tiles * header + all.words * word + all.extracted * extracted_entry;
    const auto tile_rows = static_cast<std::size_t>((rows + s.size - 1) / s.size);
    return static_cast<std::size_t>(an_entry * static_cast<double>(nnz)) + tile_rows * 2 * sizeof(tile_range);
}

}  // namespace nz::storage
