// How many bytes each mxm kernel needs: stated by the plan, laid out by the kernels. Every thread has one part.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <bit>

namespace nz::plan {

constexpr offset_t words_of(offset_t columns) { return (columns + 63) / 64; }

/// Slots of the hash table for a row of up to `entries` places: at most half of them are taken.
constexpr offset_t table_slots(offset_t entries) {
    return static_cast<offset_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * entries + 2)));
}
/// Keys and sums, and two lists of places to sort.
constexpr std::size_t hash_workspace(offset_t most_products, offset_t columns, std::size_t value_bytes) {
    const offset_t most = std::min(most_products, columns);
    const auto slots = static_cast<std::size_t>(table_slots(most));
    return padded(slots * sizeof(index_t)) + padded(slots * value_bytes) +
           2 * padded(static_cast<std::size_t>(most) * sizeof(std::uint64_t));
}

/// A sum and a bit a column, and a bit for every word of those.
constexpr std::size_t dense_row_workspace(offset_t columns, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(columns) * value_bytes) +
           padded(static_cast<std::size_t>(words_of(columns)) * 8) +
           padded(static_cast<std::size_t>(words_of(words_of(columns))) * 8);
}
/// B's columns by words, a number and 64 bits each: of every row, and of every three neighbouring rows joined where that takes
/// up to half as many again as the first's.
inline constexpr int joined_rows = 3;
constexpr offset_t joined_words(offset_t words) { return words + words / 2; }
constexpr std::size_t packed_words(offset_t words, offset_t inner) {
    const auto lists = [](offset_t n) {
        return padded(static_cast<std::size_t>(n) * sizeof(index_t)) +
               padded(static_cast<std::size_t>(n) * sizeof(std::uint64_t));
    };
    return lists(words) + lists(joined_words(words)) +
           padded(static_cast<std::size_t>(inner) * sizeof(index_t));
}

/// dia_dia: rows of a tile, how many are summed at once (four vectors of 8 doubles), and of a thread's run, whose ends cut tiles.
inline constexpr index_t dia_tile_rows = 128, dia_lanes = 32, dia_run_rows = 4 * dia_tile_rows;
/// Diagonals of A in a tile, and in each run of rows of B; diagonals of C.
inline constexpr int dia_most = 64, dia_most_c = 256;
/// Values between diagonals of A's tile: an odd number of lines, so that they do not meet in the cache.
inline constexpr index_t dia_a_stride = dia_tile_rows + 8;
/// Values of B's tile: three eighths of a second-level cache of 1 MiB.
inline constexpr offset_t dia_b_values = 49152;
/// Sums of C's diagonals in a tile's next rows: an odd number of lines from one to the next, with values of 8 bytes.
inline constexpr offset_t dia_sums_stride = dia_lanes + 8;
/// Two bits a row of B.
constexpr std::size_t dia_share_workspace(offset_t inner) {
    return 2 * padded(static_cast<std::size_t>(words_of(inner)) * 8);
}
/// The tiles and sums, with values of up to 8 bytes, where pairs' values begin, two bits a row of B, and what hash needs for rows that
/// are no band.
constexpr std::size_t dia_dia_workspace(offset_t most_products, offset_t inner, offset_t columns,
                                        std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(dia_most * dia_a_stride) * 8) + padded(dia_b_values * 8) +
           padded(dia_most_c * dia_sums_stride * 8) + padded(dia_most_c * dia_lanes * 8) +
           padded(dia_most_c * dia_lanes * 4) + padded(dia_most * dia_most * 12) +
           dia_share_workspace(inner) + hash_workspace(most_products, columns, value_bytes);
}

/// row_row: columns of a strip. Sums of 8 bytes fill half of a first-level cache, beside the rows of B.
inline constexpr index_t strip_columns = 2048;
/// Two positions an entry of the longest row of A; a strip's bits and sums.
constexpr std::size_t row_row_workspace(offset_t most_entries, std::size_t value_bytes) {
    return 2 * padded(static_cast<std::size_t>(most_entries) * sizeof(offset_t)) + padded(strip_columns / 8) +
           padded(strip_columns * value_bytes);
}

/// column_row: rows of a block and columns of its strips. Sums of 8 bytes fill an eighth of a second-level cache.
inline constexpr index_t block_rows = 8, block_columns = 2048;
inline constexpr std::size_t block_entry_bytes = 32;
/// The entries of a block of the longest rows of A; bits and sums.
constexpr std::size_t column_row_workspace(offset_t most_entries, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(most_entries) * block_rows * block_entry_bytes) +
           padded(block_rows * block_columns / 8) + padded(block_rows * block_columns * value_bytes);
}

/// two_level_sort: products sorted at once. Their keys, twice, fill an eighth of a second-level cache.
inline constexpr int tile_bits = 13;
inline constexpr offset_t tile_products = offset_t{1} << tile_bits;
/// Products of the longest row where it needs several tiles, and lists of columns that these leave, with their end.
constexpr offset_t spread_products(offset_t most_products) {
    return most_products > tile_products ? most_products : 0;
}
constexpr offset_t spread_tiles(offset_t most_products) {
    return spread_products(most_products) / tile_products + 2;
}
/// A tile's keys twice and its products; the columns of a row of several tiles twice, and where its lists begin.
constexpr std::size_t two_level_workspace(offset_t most_products, std::size_t value_bytes) {
    return 2 * padded(static_cast<std::size_t>(tile_products) * sizeof(std::uint64_t)) +
           padded(static_cast<std::size_t>(tile_products) * value_bytes) +
           2 * padded(static_cast<std::size_t>(spread_products(most_products)) * sizeof(index_t)) +
           2 * padded(static_cast<std::size_t>(spread_tiles(most_products)) * sizeof(offset_t));
}

/// masked_row: a sum, a bit for allowed and a bit for present a column.
constexpr std::size_t masked_row_workspace(offset_t columns, std::size_t value_bytes) {
    return dense_row_workspace(columns, value_bytes) +
           padded(static_cast<std::size_t>(words_of(columns)) * 8) +
           padded(static_cast<std::size_t>(columns) * sizeof(index_t));
}

}  // namespace nz::plan
