// How a GPU cuts a CSR into tiles (storage/value_tiles.hpp): count, fill, and the lists by columns.
#pragma once

#include "kernels/offset_reader.hpp"
#include "kernels/value_tile_arguments.hpp"

namespace nz::kernels {

/// Pointers are the device's. The CSR's rows are sorted.
struct device_tile_build {
    offset_reader offsets;
    const index_t* indices = nullptr;
    const void* values = nullptr;
    std::size_t value_bytes = 0;  ///< 0: structure alone
    index_t rows = 0, tile_rows = 0;
    offset_t entries = 0;
    int size = 0, least_entries = 0;
    // count writes these, scanned: [tile rows + 1].
    std::uint32_t* tile_starts = nullptr;
    offset_t* extracted_starts = nullptr;
    // fill writes these.
    offset_t tiles = 0, kept = 0;
    index_t* tile_columns = nullptr;
    offset_t* entry_starts = nullptr;
    void* row_starts = nullptr;
    void* locals = nullptr;
    std::uint8_t* extracted_rows = nullptr;
    index_t* extracted_columns = nullptr;
    void* out_values = nullptr;
    void* temporary = nullptr;  ///< of scan_bytes
    std::size_t temporary_bytes = 0;
};

/// The rows of tiles that each column of tiles meets, or `by_rows` the strips of 16 columns that each 64 rows do; one may be
/// listed more than once.
struct device_tile_lists {
    value_tile_arguments tiles;
    bool by_rows = false;
    index_t tile_rows = 0, lists = 0;
    offset_t* starts = nullptr;  ///< [lists + 1]
    index_t* met =
        nullptr;  ///< [tiles + entries outside]; by rows [starts[lists]], and null when starts are counted
    void* temporary = nullptr;  ///< of scan_bytes
    std::size_t temporary_bytes = 0;
};

/// How a GPU makes bit tiles (storage/bit_tiles.hpp). Fewer than 2^32 entries.
struct device_bit_build {
    offset_reader offsets;
    const index_t* indices = nullptr;
    index_t rows = 0, tile_rows = 0;
    offset_t entries = 0;
    int size = 0, least_entries = 0;
    // count writes these, scanned: [tile rows + 1].
    std::uint32_t* tile_offsets = nullptr;
    std::uint32_t* word_offsets = nullptr;  ///< needed by fill alone
    std::uint32_t* extracted_offsets = nullptr;
    // fill writes these.
    std::uint32_t tiles = 0, words = 0;
    void* headers = nullptr;
    void* row_words = nullptr;
    std::uint8_t* extracted_rows = nullptr;
    index_t* extracted_columns = nullptr;
    void* temporary = nullptr;  ///< of bit_sum_bytes
};

struct device_tile_table {
    /// Temporary bytes for scans of so many counts.
    std::size_t (*scan_bytes)(index_t counts) = nullptr;
    void (*count)(const device_tile_build& build, void* stream) = nullptr;
    void (*fill)(const device_tile_build& build, void* stream) = nullptr;
    /// Temporary bytes for counts of so many rows of bit tiles.
    std::size_t (*bit_sum_bytes)(index_t tile_rows) = nullptr;
    void (*count_bits)(const device_bit_build& build, void* stream) = nullptr;
    void (*fill_bits)(const device_bit_build& build, void* stream) = nullptr;
    void (*list)(const device_tile_lists& lists, void* stream) = nullptr;
};

}  // namespace nz::kernels
