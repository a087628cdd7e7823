// How many bytes each mxv kernel needs: stated by the plan, laid out by the kernels.
#pragma once

#include "core/bits.hpp"
#include "plan/workspace.hpp"
#include "storage/column_bins.hpp"
#include "storage/device_csr.hpp"

#include <cstddef>

namespace nz::plan {

inline constexpr int radix_digit_bits = 11;  ///< 2,048 counters of 8 bytes: half of a first-level cache
inline constexpr int radix_digits = 1 << radix_digit_bits;
inline constexpr std::size_t merge_carry_bytes = 32;

/// Entries that the composed product goes through at a time: operands, products and sums stay in a second-level cache.
inline constexpr offset_t composed_entries = 4096;
constexpr offset_t composed_block(offset_t entries) {
    return entries < composed_entries ? entries : composed_entries;
}
/// A thread's block, `lists` which of the entries are in it.
constexpr std::size_t composed_workspace(offset_t entries, std::size_t operand_bytes, std::size_t value_bytes,
                                         bool lists, int threads) {
    const auto block = static_cast<std::size_t>(composed_block(entries));
    return static_cast<std::size_t>(threads) *
           (2 * padded(block * operand_bytes) + padded(block * value_bytes) +
            padded((block + 1) * value_bytes) +
            (lists ? padded(block * sizeof(offset_t)) + padded(block * sizeof(index_t)) : 0));
}

/// A carry a thread.
constexpr std::size_t csr_merge_workspace(int threads) {
    return padded(static_cast<std::size_t>(threads) * merge_carry_bytes);
}
constexpr std::size_t column_starts(offset_t count) {
    return padded(static_cast<std::size_t>(count + 1) * sizeof(offset_t));
}
/// Rows and values of all products.
constexpr std::size_t products_copy(offset_t products, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(products) * sizeof(index_t)) +
           padded(static_cast<std::size_t>(products) * value_bytes);
}
/// csc_gather_scatter, several threads: a bucket's rows, whose sums of 8 bytes fill half of a second-level cache; fewer, so that
/// every thread has some buckets; more, so that their ends fit a first-level cache.
constexpr int scatter_bits(offset_t rows, int threads) {
    constexpr int cached = 15, word = 6, buckets_a_thread = 4, most_buckets = 1024;
    int bits = cached;
    while (bits > word && rows >> bits < offset_t{buckets_a_thread} * threads) --bits;
    while (rows >> bits >= most_buckets) ++bits;
    return bits;
}
/// A thread's counters of them, no line shared with another's.
constexpr offset_t scatter_counters(offset_t rows, int threads) {
    return ((rows >> scatter_bits(rows, threads)) + 1 + 7) / 8 * 8 + 8;
}
/// Whether a second-level cache holds a sum for every row.
constexpr bool sums_are_cached(offset_t rows, std::size_t value_bytes) {
    return static_cast<std::size_t>(rows) * value_bytes <= std::size_t{1} << 20;
}
/// Whether the scatter's products go through buckets. A product takes three times the work then of one that goes straight to sums in a
/// cache: two threads took 0.9 to 2.3 times as long as one (29 K to 180 K products).
constexpr bool scatters_in_buckets(offset_t rows, std::size_t value_bytes, int threads) {
    constexpr int threads_for_cached = 4;
    return threads > 1 && (threads >= threads_for_cached || !sums_are_cached(rows, value_bytes));
}
/// Buckets of products and their counters, where there are buckets.
constexpr std::size_t gather_scatter_workspace(offset_t count, offset_t products, offset_t rows,
                                               std::size_t value_bytes, int threads) {
    return column_starts(count) +
           (scatters_in_buckets(rows, value_bytes, threads)
                ? products_copy(products, value_bytes) +
                      padded(static_cast<std::size_t>(scatter_counters(rows, threads)) *
                             static_cast<std::size_t>(threads) * sizeof(offset_t))
                : 0);
}
/// Digit counters and a second copy of the products.
constexpr std::size_t gather_radix_workspace(offset_t count, offset_t products, std::size_t value_bytes,
                                             int threads) {
    return column_starts(count) +
           padded(static_cast<std::size_t>(radix_digits) * threads * sizeof(offset_t)) +
           products_copy(products, value_bytes);
}
/// A second set of run bounds and a second copy of the products.
constexpr std::size_t gather_merge_workspace(offset_t count, offset_t products, std::size_t value_bytes) {
    return 2 * column_starts(count) + products_copy(products, value_bytes);
}

/// csr_ranked on a GPU: operands of the hottest columns that a multiprocessor's shared memory holds, at most; what is left of its 256 KiB
/// beside the products is first-level cache for the others (tables of 32 to 128 KiB were within 6%, larger ones slower).
constexpr int hot_columns(std::size_t value_bytes) { return value_bytes < 8 ? 96 * 1024 / 4 : 80 * 1024 / 8; }
/// csr_ranked: the vector in the order of ranks, and which of its places hold an entry; on a GPU behind csr_merge's carries.
constexpr std::size_t ranked_vector_workspace(offset_t size, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(size) * value_bytes) +
           padded(bits::words_for(size) * sizeof(bits::word));
}

/// csr_binned: a product an entry, by ranges of columns, behind csr_merge's carries.
constexpr std::size_t binned_products_workspace(offset_t nnz, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(storage::most_binned_places(nnz)) * value_bytes);
}

/// A bit a row of tiles.
constexpr std::size_t tile_column_workspace(offset_t rows, int size) {
    return padded(bits::words_for((rows + size - 1) / size) * sizeof(bits::word));
}

/// On a GPU. tile_column: a bit for 64 rows, then the numbers of those that blocks share, and how many.
constexpr std::size_t tile_column_taken_bytes(offset_t rows) {
    return padded((bits::words_for(rows) + 31) / 32 * sizeof(std::uint32_t));
}
constexpr std::size_t device_tile_column_workspace(offset_t rows) {
    return tile_column_taken_bytes(rows) + padded((bits::words_for(rows) + 1) * sizeof(std::uint32_t));
}
/// csr_merge: a carry a chunk.
constexpr std::size_t device_csr_merge_workspace(offset_t nnz) {
    const auto chunks =
        static_cast<std::size_t>((nnz + storage::merge_chunk_entries - 1) / storage::merge_chunk_entries);
    return chunks * merge_carry_bytes;
}
/// csc_gather_radix on a GPU: what one block holds of listed columns and of products, and does without a workspace. Products may be
/// unknown, -1.
inline constexpr offset_t block_products = 8192;
constexpr bool may_gather_in_block(offset_t columns, offset_t products) {
    return columns <= block_products && products <= block_products;
}
/// The scatter: with `any` the number of each row's first product. The others: the products in two places, one count,
/// and what the sort asks for.
constexpr std::size_t device_gather_workspace(bool scatter, bool first_wins, offset_t rows, offset_t products,
                                              std::size_t value_bytes, std::size_t sort_bytes) {
    if (scatter) return first_wins ? padded(static_cast<std::size_t>(rows) * sizeof(std::uint32_t)) : 0;
    return 2 * products_copy(products, value_bytes) + padded(sizeof(std::int32_t)) + padded(sort_bytes);
}

}  // namespace nz::plan
