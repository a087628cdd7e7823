// Which kernel multiplies two matrices, from shapes and counts alone.
#pragma once

#include "nonzero/plan.hpp"

#include <algorithm>
#include <string_view>

namespace nz::plan {

struct mxm_facts {
    index_t rows = 0, inner = 0, columns = 0;  ///< A is rows x inner, B inner x columns
    offset_t a_entries = 0, b_entries = 0;
    bool compiled = true;
    bool composable = false;  ///< they are not, but the multiply operator is compiled by itself
    bool masked = false, complement = false;
    offset_t mask_entries = 0;
    bool columns_ready = false;  ///< B's columns are there
    bool rows_ready = true;      ///< B's rows are there
    offset_t dot_steps =
        -1;  ///< entries of A's rows and B's columns, over all places of the mask; below 0: not counted
    std::size_t value_bytes = 8;
    int threads = 1;
    std::string_view pinned;     ///< empty, or an id that exists
    bool on_device = false;      ///< there is a GPU, and the semiring is compiled for it
    std::size_t scan_bytes = 0;  ///< temporary memory of its scan over the rows
    // Costly; below 0 while not known.
    offset_t products = -1, most_products = -1;  ///< of all rows, of the largest
    double row_of_product = -1;                  ///< products of a product's row, in the mean over products
    offset_t most_entries = -1;                  ///< of a row of A
    double band_share = -1;                      ///< of some rows of A, those in bands that meet bands of B
    offset_t words = -1;                         ///< words of 64 columns that B's rows touch
    offset_t large_rows = -1;                    ///< on a GPU: rows whose products are too many to be sorted
    offset_t huge_rows = 0;                      ///< ... are 16,384 or more
    // On a GPU, two_level_sort's: products of the rows that tiles cut, their places, how many rows; products, tiles and slots of those that
    // are cut by columns; 0 while not known.
    offset_t cut_products = 0, cut_places = 0, cut_runs = 0;
    index_t cut_rows = 0;
    offset_t ranged_products = 0, range_tiles = 0, range_slots = 0;
};

/// Dense rows, whose sums take so many bytes a thread: for any product up to dense_any_bytes; up to dense_sums_bytes where rows, as
/// products have them in the mean, have dense_row_least products; beyond, up to dense_product_bytes for each of these, as places are met
/// again (a mesh, a power law's hubs); for rows of dense_row_products in the plain mean always. Measured, dense_row's time over hash's: 9
/// products a row 0.24 MB 0.82, 0.8 MB 1.2, 2.4 MB 1.7; 64 products 0.8, 1.6, 2.4, 4 and 8 MB 0.49, 0.70, 0.97, 1.2 and 1.4; 256 products 2.4 and
/// 8 MB 0.72 and 1.3; laplace3d:90 (729, 5.8 MB) 0.64; powerlaw:1000000 and :2000000 (1,900 and 2,600 of a product, 51 and 58 of a row) 0.84, 0.93.
inline constexpr std::size_t dense_any_bytes = std::size_t{512} << 10,
                             dense_sums_bytes = std::size_t{5} << 19,
                             dense_most_bytes = std::size_t{64} << 20;
inline constexpr double dense_row_least = 16, dense_product_bytes = 16384, dense_row_products = 1024;
/// Packing reads B twice; the count then reads words in place of products. Worth it for half as many words as entries, where
/// B's entries are met often: at 8 products an entry (a mesh's triangles) it cost 6%.
inline constexpr double packed_share = 0.5, packed_reuse = 10;
/// dense_row and hash fill before they count, in arrays of as many entries as there could be, up to so many bytes, and beyond of as many as
/// a sample lets expect: what is not filled costs addresses, not memory.
inline constexpr std::size_t uncounted_bytes = std::size_t{64} << 20;
/// By diagonals where nearly all rows are bands, and rows have products enough to pay for their turning (two threads): 0.57 of dense_row's
/// time on bands of 3 diagonals, 0.38 to 0.56 of 5 to 61; on meshes, whose rows at the ends of lines are hash's, 0.63 to 0.8 with 90 to
/// 96% of the rows inside (laplace3d:40 to :80, laplace2d:100 to :1000), 1.06 with 87 (laplace3d:30).
inline constexpr double band_rows = 0.88, band_products = 8;
/// A step of masked_dot through two lists costs about a product of masked_row, which goes through them twice. Not measured yet.
inline constexpr double dot_step_cost = 1;
/// Entries of B read and written to have its columns, in products.
inline constexpr double columns_cost = 8;
/// Columns for each product, mask entry and row beyond which masked_row, which clears a sum for every one, is left out (two CPU threads,
/// ms, masked_row and hash; 1 M columns: at 3.5 of them 1.1 and 2.7, at 13 0.40 and 0.77, at 25 0.29 and 0.19, at 61 0.23 and 0.09; 10 M:
/// 14 and 25, 7.5 and 5.1, 5.9 and 2.3, 4.9 and 0.79).
inline constexpr double masked_row_columns = 16;

/// On a GPU, under a mask that lists what may be written, in nanoseconds (`nz bench regret` over 42 matrices, one H200: sums of these,
/// beside what the calls take in any case, are within a third of the times of large inputs). masked_dot: a row of A is tabled, and
/// entries of B's columns look themselves up. masked_row: rows of up to 64 products are sorted; with longer ones there are further
/// launches, and then a product of an even matrix costs less, but one in rows that hubs make long, six times as much and more.
inline constexpr double device_dot_call = 10000, device_dot_row = 1.2, device_dot_step = 0.009;
inline constexpr double device_masked_row = 0.8, device_sorted_product = 0.02, device_large_rows = 100000,
                        device_large_product = 0.009, device_huge_product = 0.06;

/// Threads of a composed product, each of which clears a word for every column; 0: the generic path is faster. The places come first, which pays
/// from some products on (two threads, ms, generic and composed: 18,600 products of laplace2d:28 0.15 and 0.23, 38,600 0.30 and 0.32,
/// 87,800 0.69 and 0.52; 29,000 of rmat:7,8 0.22 and 0.11).
inline constexpr offset_t composed_from_products = 32768, composed_thread_products = 8192;
inline constexpr double composed_columns = 4;
inline int composed_threads(offset_t products, index_t columns, int threads) noexcept {
    const double cleared = composed_columns * static_cast<double>(products) / std::max<double>(columns, 1);
    if (products < composed_from_products || cleared < 1) return 0;
    const auto most = std::min<double>(cleared, static_cast<double>(products / composed_thread_products));
    return static_cast<int>(std::min<double>(most, threads));
}

mxm_plan mxm(const mxm_facts& facts) noexcept;
/// Whether the costly facts are to be collected before the plan stands; products first.
inline bool mxm_needs_products(const mxm_facts& facts) noexcept { return facts.products < 0; }
/// Whether it runs on the GPU: by hash or dia_dia, pinned by two_level_sort, or under a mask by masked_row, or where that lists what may be
/// written by masked_dot.
inline bool mxm_on_device(const mxm_facts& f) noexcept {
    return f.on_device && (f.pinned.empty() || f.pinned == "hash" || f.pinned == "two_level_sort" ||
                           f.pinned == "dia_dia" || (f.masked && f.pinned == "masked_row") ||
                           (f.masked && !f.complement && f.pinned == "masked_dot"));
}
/// On a GPU looking for bands takes 20 to 40 us of a call, and going by them as long again: worth it from so many products on, a row
/// counting as some (one H200, calls by hash and by diagonals: laplace3d:20, 5 M products, 0.25 and 0.32 ms; laplace3d:25, 9.9 M,
/// 0.21 and 0.27; 25,000 rows of 21 diagonals, 11 M, 0.23 and 0.22; 100,000 of 11, 12 M, 0.31 and 0.25; banded:1000000,3, 9 M of a
/// million rows, 0.44 and 0.22).
inline constexpr double device_band_least = 12e6, device_band_row = 8;
/// ... where so many rows are inside: the others are hash's as before, and marking rows costs little (laplace3d:40, 73%: 0.36 ms of
/// kernels for 0.64).
inline constexpr double device_band_rows = 0.5;
/// The share of rows inside from which on a band is of use.
inline double mxm_least_band(const mxm_facts& f) noexcept {
    return f.pinned == "dia_dia" ? 0 : device_band_rows;
}
inline bool mxm_needs_device_band(const mxm_facts& f) noexcept {
    return f.on_device && f.band_share < 0 && f.rows > 0 &&
           (f.pinned == "dia_dia" ||
            (f.pinned.empty() &&
             static_cast<double>(f.products) >=
                 std::max(device_band_least - device_band_row * static_cast<double>(f.rows),
                          band_products * static_cast<double>(f.rows))));
}
/// Whether bands are to be looked for: not where another kernel is taken anyway.
inline bool mxm_needs_band(const mxm_facts& f) noexcept {
    return f.band_share < 0 && f.compiled && !f.masked && f.pinned.empty() && f.rows > 0 &&
           static_cast<double>(f.products) >= band_products * static_cast<double>(f.rows);
}
bool mxm_needs_words(const mxm_facts& facts) noexcept;
/// Whether the steps of dot products are to be counted: mean lengths may speak for them, and lengths of lists vary.
inline bool mxm_needs_dot_steps(const mxm_facts& f) noexcept {
    return f.dot_steps < 0 && f.compiled && f.masked && !f.complement && f.pinned.empty() &&
           mxm(f).kernel == "masked_dot";
}

}  // namespace nz::plan
