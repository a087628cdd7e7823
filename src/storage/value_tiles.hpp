// A matrix cut into square tiles (ji2022, section 3.2.1): what is near each other is stored together, and whole tiles are
// left out where the vector has nothing.
#pragma once

#include "nonzero/plan.hpp"
#include "storage/csr.hpp"
#include "storage/tile_range.hpp"

#include <optional>

namespace nz::storage {

/// Tiles of `cut.size` rows and columns with at least `cut.least_entries` entries, row by row of tiles, columns
/// ascending; the entries of all other tiles are kept outside, one by one. On the host or on a GPU, where blocks of rows of tiles,
/// 64 rows of the matrix at least, have their parts of the arrays in any order, tiles and their entries in the same, and there may
/// be room behind tiles and in front of the entries outside.
struct value_tiles {
    const csr* source;  ///< what it holds
    std::shared_ptr<memory_resource> memory;
    tiling cut;
    offset_t count = 0, kept = 0, extracted = 0;  ///< tiles, entries in them, entries outside
    std::optional<dtype> type;                    ///< of the values; none: structure alone
    offset_t outside_values = 0;  ///< entry e outside has value outside_values + e, if each entry has one
    buffer tile_ranges;           ///< tile_range[tile rows]: the tiles of each row of tiles
    buffer tile_columns;          ///< index_t[count]
    buffer entry_starts;          ///< offset_t[count + 1]
    buffer row_starts;  ///< [count][size]: entries of the tile before each of its rows; of local_bytes each
    buffer locals;      ///< [kept]: row and column inside the tile, packed (local_of)
    buffer extracted_ranges;   ///< tile_range[tile rows]: its entries outside
    buffer extracted_rows;     ///< uint8[extracted]: row inside the row of tiles
    buffer extracted_columns;  ///< index_t[extracted], sorted by row and column inside each row of tiles
    buffer values;          ///< [kept + extracted] where the source has one for each entry, else one or none
    double kernel_ms = -1;  ///< that a GPU took to make them

    index_t tile_rows() const {
        return static_cast<index_t>((offset_t{source->rows} + cut.size - 1) / cut.size);
    }
    const tile_range* tile_range_data() const { return tile_ranges.as<const tile_range>(); }
    const tile_range* extracted_range_data() const { return extracted_ranges.as<const tile_range>(); }
    std::size_t bytes() const;
};

/// What tiles and the entries outside them meet: of each column of tiles the rows of tiles; or `by_rows`, on a GPU, of each
/// 64 rows the strips of 16 columns (kernels/mxv_arguments.hpp). One may be listed more than once.
struct tile_lists {
    std::shared_ptr<const value_tiles> source;  ///< set by who keeps them
    bool by_rows = false;
    buffer starts;       ///< offset_t[lists + 1]
    buffer met;          ///< index_t
    offset_t count = 0;  ///< in all lists
};

constexpr index_t tile_columns_of(index_t columns, int size) {
    return static_cast<index_t>((offset_t{columns} + size - 1) / size);
}
/// Row and column share a byte in tiles of 16, 16 bits in larger ones.
constexpr int local_bytes(int size) { return size == 16 ? 1 : 2; }
constexpr int column_bits(int size) { return size == 16 ? 4 : 6; }

/// Tiles of 16 unless another size is asked for: their entries' places fit a byte.
inline constexpr int usual_tile_size = 16;

/// What a tile takes beside its entries, over what an entry outside saves by being in one: with fewer entries than
/// this a tile takes more bytes than its entries would one by one.
constexpr int least_value_entries(int size) {
    const int beside = static_cast<int>(sizeof(index_t) + sizeof(offset_t)) + size * local_bytes(size),
              saved = static_cast<int>(sizeof(index_t)) + 1 - local_bytes(size);
    return beside / saved;
}

/// O(nnz), in parallel. `a` has sorted rows; values converted to `type`, or left out. Throws not_supported where tiles or entries
/// outside do not fit 32 bits.
value_tiles make_value_tiles(const context& ctx, const csr& a, tiling cut, std::optional<dtype> type);
/// On the host.
tile_lists lists_of(const context& ctx, const value_tiles& t);
/// The matrix again, structure and values, for tests and reports. On the host.
csr to_csr(const context& ctx, const value_tiles& t);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const value_tiles& t, const char* what);

/// What some 256 rows of tiles, evenly spread, say of all.
struct value_tile_sample {
    double entries_a_tile = 0;  ///< of those that keep theirs
    double outside = 0;         ///< share of the entries that no tile keeps
    double growth = 0;          ///< bytes over the CSR's, values of `value_bytes` included
};
value_tile_sample sample_value_tiles(const csr& a, tiling cut, std::size_t value_bytes);

}  // namespace nz::storage
