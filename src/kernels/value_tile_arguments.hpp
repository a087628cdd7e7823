// A matrix's tiles as kernels see them.
#pragma once

#include "nonzero/types.hpp"
#include "storage/tile_range.hpp"

#include <cstdint>

namespace nz::kernels {

/// The tiles of a matrix (storage/value_tiles.hpp), for tile_row and tile_column.
struct value_tile_arguments {
    int size = 0;  ///< 16, 32 or 64
    const storage::tile_range* tile_ranges = nullptr;
    const index_t* tile_columns = nullptr;
    const offset_t* entry_starts = nullptr;
    const void* row_starts = nullptr;  ///< bytes for tiles of 16, else 16 bits, as locals
    const void* locals = nullptr;
    offset_t outside_values = 0;
    const storage::tile_range* extracted_ranges = nullptr;
    const std::uint8_t* extracted_rows = nullptr;
    const index_t* extracted_columns = nullptr;
    // Lists of what tiles and the entries outside them meet. tile_column: by tile columns the tile rows. tile_row on a GPU, where
    // u has few entries (null: not those): by 64 rows the strips of 16 columns, each as its number times 32, and that of the
    // rows modulo 32; 32 bits without a sign.
    const offset_t* met_starts = nullptr;
    const index_t* met = nullptr;
};

}  // namespace nz::kernels
