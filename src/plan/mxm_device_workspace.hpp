// mxm/hash on a GPU: the bins of rows, and the bytes that it needs. Stated by the plan, laid out by the kernels.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace nz::plan {

/// Rows are binned twice: by products for count, by entries for fill. The first bins hold rows that a block takes, the
/// most products first; the next those of some lanes of a warp, large tables first; the last rows without entries.
inline constexpr int row_bins = 12, block_bins = 4, empty_bin = row_bins - 1;
/// Slots of the smallest table; each bin before has twice as many.
inline constexpr int least_slots = 32;
constexpr int slots_of_bin(int bin) { return least_slots << (empty_bin - 1 - bin); }
/// A table for count holds keys alone and most products meet one that is there: three quarters may be taken.
constexpr offset_t products_of_bin(int bin) { return slots_of_bin(bin) / 4 * 3; }
/// A table for fill is exactly sized: half of it may be taken. Its largest leaves room for 12 warps a multiprocessor.
constexpr offset_t entries_of_bin(int bin) { return slots_of_bin(bin) / 2; }
inline constexpr int largest_fill_bin = block_bins + 1;

constexpr int bin_of_products(offset_t products) {
    if (products == 0) return empty_bin;
    for (int bin = empty_bin - 1; bin >= block_bins; --bin)
        if (products <= products_of_bin(bin)) return bin;
    return products >= 1 << 20 ? 0 : products >= 1 << 17 ? 1 : products >= 1 << 14 ? 2 : 3;
}
constexpr int bin_of_entries(offset_t entries, int by_products) {
    if (entries == 0) return empty_bin;
    for (int bin = empty_bin - 1; bin >= largest_fill_bin; --bin)
        if (entries <= entries_of_bin(bin)) return bin;
    return std::min(by_products, block_bins - 1);
}

/// What the device says of the rows, zeroed first.
struct mxm_survey {
    unsigned long long products;
    double about;  ///< the same sum where it does not fit
    unsigned rows[row_bins], taken[row_bins];

    unsigned block_rows() const {
        unsigned n = 0;
        for (int bin = 0; bin < block_bins; ++bin) n += rows[bin];
        return n;
    }
    /// By products: rows whose entries may be too many for fill's tables.
    unsigned most_block_rows() const {
        unsigned n = block_rows();
        for (int bin = block_bins; products_of_bin(bin) > entries_of_bin(largest_fill_bin); ++bin)
            n += rows[bin];
        return n;
    }
};

/// The parts that go with rows.
struct mxm_device_parts {
    mxm_survey *by_products, *by_entries;
    std::uint8_t* bins;
    index_t *listed, *counts;  ///< rows by bin; entries of each row, and 0 behind
    offset_t* starts;          ///< [rows + 1]
    void* scan;
    std::size_t scan_bytes;

    mxm_device_parts(void* memory, index_t rows, std::size_t scan) : scan_bytes(scan) {
        workspace_parts parts(memory);
        by_products = parts.take<mxm_survey>(1);
        by_entries = parts.take<mxm_survey>(1);
        starts = parts.take<offset_t>(offset_t{rows} + 1);
        listed = parts.take<index_t>(rows);
        counts = parts.take<index_t>(offset_t{rows} + 1);
        bins = parts.take<std::uint8_t>(rows);
        this->scan = parts.take<std::byte>(static_cast<offset_t>(scan));
    }
};
constexpr std::size_t mxm_device_rows(index_t rows, std::size_t scan_bytes) {
    const auto n = static_cast<std::size_t>(rows);
    return 2 * padded(sizeof(mxm_survey)) + padded((n + 1) * sizeof(offset_t)) + padded(n * sizeof(index_t)) +
           padded((n + 1) * sizeof(index_t)) + padded(n) + padded(scan_bytes);
}

/// A row's columns as bits, and how many lie before each word of 64.
constexpr std::size_t column_table_bytes(index_t columns) {
    const auto words = (static_cast<std::size_t>(columns) + 63) / 64;
    return padded(words * 8) + padded(words * 4);
}
/// What a block of today's devices has of shared memory, less what the kernels take for entries of A.
inline constexpr std::size_t shared_table_bytes = std::size_t{212} << 10;
/// Beyond that blocks have theirs in device memory: two a multiprocessor, or as many as this holds.
inline constexpr std::size_t global_table_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_global_tables = 264;
constexpr bool tables_in_shared(index_t columns) { return column_table_bytes(columns) <= shared_table_bytes; }
constexpr std::size_t global_tables(index_t columns, offset_t block_rows) {
    if (block_rows == 0 || tables_in_shared(columns)) return 0;
    return std::min({static_cast<std::size_t>(block_rows), most_global_tables,
                     std::max<std::size_t>(1, global_table_bytes / column_table_bytes(columns))});
}

/// Where a result does not fit the GPU, it leaves by two slots of as much: some milliseconds of the host link each.
inline constexpr std::size_t mxm_slot_bytes = std::size_t{256} << 20;
/// Rows whose results leave together: [cuts[k], cuts[k + 1]), of at most `entries`, which no row exceeds.
inline std::vector<index_t> mxm_cuts(std::span<const offset_t> starts, offset_t entries) {
    std::vector<index_t> cuts = {0};
    offset_t from = 0;
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
        if (starts[i + 1] - from > entries) {
            cuts.push_back(static_cast<index_t>(i));
            from = starts[i];
        }
    cuts.push_back(static_cast<index_t>(starts.size() - 1));
    return cuts;
}

}  // namespace nz::plan
