// How a GPU cuts a CSR into tiles: value tiles (storage/value_tiles.hpp), their lists by columns, and bit tiles.
#pragma once

#include "kernels/offset_reader.hpp"
#include "kernels/value_tile_arguments.hpp"
#include "storage/bit_tiles.hpp"

namespace nz::kernels {

/// The CSR that tiles are cut from, and which. Pointers are the device's, rows are sorted; fewer than 2^32 entries.
struct device_tile_source {
    offset_reader offsets;
    const index_t* indices = nullptr;
    index_t rows = 0, tile_rows = 0;
    offset_t entries = 0;
    int size = 0, least_entries = 0;
};

/// Elements of the arrays of value tiles: tiles, entries in them, entries outside.
struct tile_counts {
    std::uint32_t tiles = 0, kept = 0, outside = 0;

    friend bool fits(const tile_counts& x, const tile_counts& room) {
        return x.tiles <= room.tiles && x.kept <= room.kept && x.outside <= room.outside;
    }
};

/// How a GPU makes value tiles (storage/value_tiles.hpp).
struct device_tile_build : device_tile_source {
    const void* values = nullptr;
    std::size_t value_bytes = 0;  ///< 0: structure alone
    /// At a multiple of 8 bytes: first the result, 0 before; behind it what each block of the sample has seen.
    tile_counts* counts = nullptr;
    tile_counts room{};  ///< in the arrays below, which make fills: what has none is counted alone
    storage::tile_range* tile_ranges = nullptr;       ///< [tile_rows]
    storage::tile_range* extracted_ranges = nullptr;  ///< [tile_rows]
    index_t* tile_columns = nullptr;
    offset_t* entry_starts = nullptr;  ///< [room.tiles + 1]
    void* row_starts = nullptr;
    void* locals = nullptr;
    std::uint8_t* extracted_rows = nullptr;
    index_t* extracted_columns = nullptr;
    void* out_values = nullptr;

    /// Of entries outside: the value of that at `e` stands at values + e.
    constexpr offset_t outside_values() const { return entries - room.outside; }
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

/// Elements of the arrays of bit tiles.
struct bit_counts {
    std::uint32_t tiles = 0, words = 0, outside = 0;

    friend bool operator==(const bit_counts&, const bit_counts&) = default;
    friend bool fits(const bit_counts& x, const bit_counts& room) {
        return x.tiles <= room.tiles && x.words <= room.words && x.outside <= room.outside;
    }
};

/// How a GPU makes bit tiles (storage/bit_tiles.hpp).
struct device_bit_build : device_tile_source {
    bit_counts room{};                              ///< in the arrays below; what has none is counted alone
    bit_counts* counts = nullptr;                   ///< result, at a multiple of 8 bytes
    storage::tile_range* ranges = nullptr;          ///< [tile_rows]
    storage::tile_range* outside_ranges = nullptr;  ///< [tile_rows]
    void* headers = nullptr;
    void* row_words = nullptr;
    std::uint8_t* extracted_rows = nullptr;
    index_t* extracted_columns = nullptr;
};

struct device_tile_table {
    /// Temporary bytes for scans of so many counts.
    std::size_t (*scan_bytes)(index_t counts) = nullptr;
    /// Counts some of the rows of tiles, evenly spread, or all where they are few, by so many blocks at most; how many they are.
    static constexpr unsigned most_sampled = 1024;
    unsigned (*sample)(const device_tile_build& build, void* stream) = nullptr;
    void (*make)(const device_tile_build& build, void* stream) = nullptr;
    void (*make_bits)(const device_bit_build& build, void* stream) = nullptr;
    void (*list)(const device_tile_lists& lists, void* stream) = nullptr;
};

}  // namespace nz::kernels
