// mxm/hash on a GPU: the bins of rows, and the bytes that it needs. Stated by the plan, laid out by the kernels.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace nz::plan {

/// Rows are binned by products, those of many products by their pairs and later by their entries. The first bins hold rows
/// that a block takes, the most products first; the next those whose words of columns go to a table, large ones first;
/// then those whose products are sorted, long ones first; the last rows without entries.
inline constexpr int block_bins = 4, word_bins = 6, sort_bins = 10;
inline constexpr int first_sort_bin = block_bins + word_bins, empty_bin = first_sort_bin + sort_bins,
                     row_bins = empty_bin + 1;

/// Products that a bin's rows have at most.
constexpr int sorted_of_bin(int bin) {
    constexpr int most[sort_bins] = {8192, 5120, 4096, 2048, 1024, 512, 256, 128, 64, 32};
    return most[bin - first_sort_bin];
}
/// Rows of so many are sorted without a look at their pairs; under a mask that lists what may be written, whose words go to a
/// small table, fewer (counting the triangles of uniform:1048576,16 took 1.3 ms to sort rows of 129 to 256 products, and 0.8 for
/// all longer ones in tables).
inline constexpr int sorted_at_once = 256, sorted_under_mask = 64;
/// A row's columns as bits, and how many lie before each word of 64.
constexpr std::size_t column_table_bytes(index_t columns) {
    const auto words = (static_cast<std::size_t>(columns) + 63) / 64;
    return padded(words * 8) + padded(words * 4);
}
/// What a block keeps beside its row's table, at most; and the table that leaves room for that: a million columns'.
inline constexpr std::size_t block_row_bytes = std::size_t{42} << 10,
                             shared_table_bytes = std::size_t{184} << 10;
constexpr bool tables_in_shared(index_t columns) { return column_table_bytes(columns) <= shared_table_bytes; }
/// Rows of so many are sorted by digits of their columns, shorter ones by exchanges with the column above and the place below in
/// 32 bits.
inline constexpr int sorted_by_digits = 2048;
/// Beside a table in shared memory.
inline constexpr int most_sorted_beside_table = 4096;
/// The bin that sorts so many, or -1: where columns leave no room for places and the row would be short for one that needs none,
/// and long rows where a block's table is in shared memory.
constexpr int sort_bin_of(offset_t products, index_t columns) {
    for (int bin = empty_bin - 1; bin >= first_sort_bin; --bin) {
        const offset_t most = sorted_of_bin(bin);
        if (products > most) continue;
        if (most < sorted_by_digits) {
            if (columns <= (offset_t{1} << 32) / most) return bin;
        } else {
            const bool fits =
                4 * products > most && (most <= most_sorted_beside_table || !tables_in_shared(columns));
            return fits ? bin : -1;
        }
    }
    return -1;
}
/// Slots of a bin's tables; each bin has half as many as the one before.
inline constexpr int least_slots = 64;
constexpr int slots_of_bin(int bin) { return least_slots << (first_sort_bin - 1 - bin); }
/// A pair is a word of 32 columns with those that a row of B has there. For count three quarters of a table may be taken,
/// most pairs meeting a word that is there.
constexpr offset_t pairs_of_bin(int bin) { return slots_of_bin(bin) / 4 * 3; }
/// For fill a table is exactly sized: half of it may be taken. The largest leaves room for 12 warps a multiprocessor.
constexpr offset_t entries_of_bin(int bin) { return slots_of_bin(bin) / 2; }
inline constexpr int largest_fill_bin = block_bins + 1;
/// The table for rows of so many words: small ones are a quarter full at most (laplace3d:100 took 4.0 ms with 128 slots for 30
/// words, 4.5 with 64).
constexpr int slots_for(unsigned words) {
    int slots = 16;
    while (slots < (slots < 256 ? 4 : 2) * static_cast<int>(words)) slots *= 2;
    return slots;
}

constexpr int bin_of_products(offset_t products, index_t columns, int at_once = sorted_at_once) {
    if (products == 0) return empty_bin;
    const int bin = products <= at_once ? sort_bin_of(products, columns) : -1;
    if (bin >= 0) return bin;
    return products >= 1 << 20 ? 0 : products >= 1 << 17 ? 1 : products >= 1 << 14 ? 2 : 3;
}
/// What a row's team is chosen by: its products, or half its entries of A where these are more, none where it has no product.
constexpr offset_t team_products(offset_t products, offset_t a_entries, int at_once) {
    return products == 0 ? 0 : std::max(products, std::min<offset_t>(a_entries / 2, at_once));
}
/// What a warp that has a row alone goes through one after another: its entries of A, and products by 64.
constexpr offset_t warp_steps(offset_t a_entries, offset_t products) { return a_entries + products / 64; }
/// Rows of more steps belong to a block: twice the mean that each of 16 warps a multiprocessor would have, or what a block's
/// barriers are worth.
constexpr offset_t fair_steps(offset_t a_entries, offset_t products, int multiprocessors) {
    return std::max<offset_t>(64, 2 * warp_steps(a_entries, products) / (16 * std::max(multiprocessors, 1)));
}
/// Blocks that have each of so few rows together: each finds all its columns, and adds up at its share of them.
constexpr unsigned blocks_a_row(unsigned rows, int multiprocessors) {
    return std::clamp(2 * static_cast<unsigned>(multiprocessors) / std::max(rows, 1u), 1u, 8u);
}
/// Products that a block's rows have at least.
constexpr offset_t products_from(int bin) {
    return bin == 0 ? 1 << 20 : bin == 1 ? 1 << 17 : bin == 2 ? 1 << 14 : 0;
}
/// Beyond that a row's pairs need not be counted to the end.
inline constexpr offset_t most_pairs = sorted_of_bin(first_sort_bin);
/// Under a mask that lists what may be written some lanes of a warp go through so many products, where the mask's row is short.
inline constexpr offset_t most_masked_products = 1 << 15;
/// Of a row that was not sorted at once: it is where less than half of its products share words, or where a block would have its
/// table in device memory. No columns: not sorted.
constexpr int bin_of_pairs(offset_t pairs, offset_t products, index_t columns, int by_products) {
    const bool far = pairs > pairs_of_bin(block_bins) && !tables_in_shared(columns);
    if (columns > 0 && (2 * pairs > products || far))
        if (const int bin = sort_bin_of(products, columns); bin >= 0) return bin;
    for (int bin = first_sort_bin - 1; bin >= block_bins; --bin)
        if (pairs <= pairs_of_bin(bin)) return bin;
    return by_products;
}
constexpr int bin_of_entries(offset_t entries, int counted) {
    if (counted >= first_sort_bin) return counted;
    for (int bin = first_sort_bin - 1; bin >= largest_fill_bin; --bin)
        if (entries <= entries_of_bin(bin)) return bin;
    return std::min(counted, block_bins - 1);
}

/// Kept of a row that count had in a table: its words, or where fill's tables are too small for its entries, its products.
constexpr std::uint16_t kept_of_row(offset_t entries, offset_t words, offset_t products) {
    return static_cast<std::uint16_t>(
        std::min<offset_t>(entries > entries_of_bin(largest_fill_bin) ? products : words, 65535));
}

/// What the device says of the rows, zeroed first.
struct mxm_survey {
    unsigned long long products;
    double about;  ///< the same sum where it does not fit
    unsigned rows[row_bins], taken[row_bins];
    unsigned most_words[word_bins];  ///< of 32 columns, in a row of each bin with tables; once counted

    unsigned block_rows() const { return rows_in(0, block_bins); }
    unsigned word_rows() const { return rows_in(block_bins, first_sort_bin); }
    /// Rows that are not sorted; before count any of them may turn out long enough for a block.
    unsigned large_rows() const { return block_rows() + word_rows(); }
    /// Launches that rows of all bins take: those of blocks two, the longest first.
    int launches() const {
        int n = (huge_rows() > 0) + (block_rows() > huge_rows());
        for (int bin = block_bins; bin < empty_bin; ++bin) n += rows[bin] > 0;
        return n;
    }
    /// By products: rows of 16,384 and more, which come first.
    unsigned huge_rows() const { return rows_in(0, block_bins - 1); }

private:
    unsigned rows_in(int first, int last) const {
        unsigned n = 0;
        for (int bin = first; bin < last; ++bin) n += rows[bin];
        return n;
    }
};

/// B's rows as pairs of a word's number and its columns, each row's where its entries begin, and how many there are.
constexpr std::size_t mxm_pair_bytes(offset_t b_entries, index_t inner) {
    return padded(static_cast<std::size_t>(b_entries) * 8) +
           padded(static_cast<std::size_t>(inner) * sizeof(index_t));
}

/// The parts that go with rows.
struct mxm_device_parts {
    mxm_survey *by_products, *by_entries;
    std::uint8_t* bins;
    std::uint16_t* words;      ///< of each row of many products: kept_of_row
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
        words = parts.take<std::uint16_t>(rows);
        bins = parts.take<std::uint8_t>(rows);
        this->scan = parts.take<std::byte>(static_cast<offset_t>(scan));
    }
};
constexpr std::size_t mxm_device_rows(index_t rows, std::size_t scan_bytes) {
    const auto n = static_cast<std::size_t>(rows);
    return 2 * padded(sizeof(mxm_survey)) + padded((n + 1) * sizeof(offset_t)) + padded(n * sizeof(index_t)) +
           padded((n + 1) * sizeof(index_t)) + padded(n * sizeof(std::uint16_t)) + padded(n) +
           padded(scan_bytes);
}

/// With larger ones a multiprocessor has one block.
inline constexpr std::size_t narrow_table_bytes = std::size_t{64} << 10;
/// Sums that a block of `at_once` on a multiprocessor of 228 KiB has room for beside such a table; none where they would be few.
constexpr int sums_beside(std::size_t table_bytes, std::size_t sum_bytes, int at_once) {
    const std::size_t all = (std::size_t{228} << 10) / static_cast<std::size_t>(at_once) - 1024,
                      taken = block_row_bytes + table_bytes;
    const std::size_t sums = taken < all ? (all - taken) / 256 * 256 / sum_bytes : 0;
    return sums < 1024 ? 0 : static_cast<int>(sums);
}
/// Beyond that blocks have theirs in device memory: two a multiprocessor, or as many as this holds.
inline constexpr std::size_t global_table_bytes = std::size_t{256} << 20;
inline constexpr std::size_t most_global_tables = 264;
/// The bin that sorts such a row for fill, or -1 where a block's table is faster: a wide one is cleared and numbered for each row.
constexpr int sort_bin_of_long(offset_t entries, offset_t kept, index_t columns) {
    const bool wide = column_table_bytes(columns) > narrow_table_bytes;
    if (entries <= entries_of_bin(largest_fill_bin) || (!wide && kept > 1024)) return -1;
    return sort_bin_of(kept, columns);
}
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

/// Entries that a warp of mxm/masked_dot goes through before what is left of its row is for blocks: twice the mean that each of 32
/// warps a multiprocessor would have, or what a block's tables are worth.
constexpr unsigned dot_share(offset_t mask_entries, offset_t mean_column, int multiprocessors) {
    constexpr offset_t least = 1024, most = 1 << 20;
    return static_cast<unsigned>(
        std::clamp(2 * mask_entries * mean_column / (32 * std::max(multiprocessors, 1)), least, most));
}
/// mxm/masked_dot: a sum and a byte a place of the mask, two numbers and a start a row; the scan's memory, a few KiB, on top.
constexpr std::size_t masked_dot_device_workspace(index_t rows, offset_t mask_entries,
                                                  std::size_t value_bytes) {
    return static_cast<std::size_t>(mask_entries) * (value_bytes + 1) + static_cast<std::size_t>(rows) * 16;
}

}  // namespace nz::plan
