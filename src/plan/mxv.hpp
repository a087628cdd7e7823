// plan::mxv: which kernel, in which direction, over which representation. Pure: facts in, plan out.
#pragma once

#include "nonzero/plan.hpp"
#include "plan/mxv_workspace.hpp"
#include "storage/block_sides.hpp"
#include "storage/slice_diagonal.hpp"
#include "storage/value_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace nz::plan {

/// Everything that the choice may look at. `pinned` is empty or an id that ops has checked to exist.
struct mxv_facts {
    offset_t output_size = 0, input_size = 0;  ///< shape of the matrix as multiplied (after transpose_a)
    offset_t nnz = 0;
    offset_t empty_rows = -1;  ///< of the representation that pull reads; -1 unknown
    offset_t degree_max = -1;  ///< likewise; on a GPU of small matrices alone
    double row_deviation = 0;  ///< of row lengths, over their mean, by a sample of rows
    double scattered =
        0;  ///< share of the entries that read u far from the diagonal, by the same sample (a GPU's: of a sparse u, and where bins may pay)
    double runs = 0;  ///< share of entries behind another whose column is the next one (likewise)
    double reach =
        0;  ///< how far from the diagonal entries lie, on average, over the columns (where bins may pay alone)
    bool pull_ready = true;   ///< the representation that pull reads is at hand
    bool push_ready = false;  ///< the one that push reads is
    bool must_pull = false;   ///< there was no memory for a push
    vector_form input = vector_form::dense;
    offset_t input_count = 0;  ///< entries of u
    offset_t products = -1;    ///< entries in the columns that u names; -1: not collected yet
    bool masked = false;
    offset_t mask_allows = 0;     ///< rows that may be written
    bool compiled = true;         ///< semiring and type are in the manifest
    bool composable = false;      ///< they are not, but the multiply operator is compiled by itself
    bool convert_matrix = false;  ///< matrix values are not of the semiring's type
    bool convert_vector = false;
    bool terminates = false;  ///< the additive monoid has a terminal value
    bool branches = false;    ///< it is the least or greatest of floats
    bool first_wins = false;  ///< the additive monoid is any
    bool any_order = false;   ///< sums may be taken in any order: an exact monoid, or determinism::fast
    std::size_t value_bytes = 8;
    std::size_t operand_bytes = 8;  ///< of a value of u as the kernel reads it
    std::size_t entry_bytes = 8;    ///< of an entry's value that the kernel reads; 0: none, or one for all
    int threads = 1;
    bool on_device = false;  ///< the context has a GPU and the semiring is compiled for it
    std::size_t sort_bytes =
        0;  ///< on a GPU: temporary memory of the gathers' sort, collected with the products
    nz::determinism determinism = nz::determinism::strict;
    std::string_view pinned{};
    offset_t expected =
        0;  ///< products with this matrix: those that are expected, or were where sums may be taken in any order
    offset_t longest_row = -1;  ///< where slice_diagonals is known
    double slice_diagonals =
        -1;  ///< of a slice for each of its entries, by a sample; -1: not asked for, as few are expected
    bool slices_ready = false;
    std::optional<storage::block_sample> blocks{};  ///< none: not asked for, likewise
    bool blocks_ready = false;                      ///< those of best_blocks are at hand
    double hot_columns =
        -1;  ///< share of entries in columns that many lie in, by a sample; -1: not asked for, likewise
    double ell_share =
        -1;  ///< of the entries that slices of equally long rows hold; -1: not asked for, likewise (a GPU: never)
    bool ell_ready = false;    ///< those that the plan would read are at hand
    bool ranks_ready = false;  ///< those of the columns are at hand, or not needed
    bool bins_ready = false;   ///< of columns, likewise
    bool limited = false;  ///< the memory for them is: what stays with the matrix would be missing elsewhere
    tiling tiles{};        ///< as asked for
    bool tiles_ready = false;  ///< those of tiles_for(tiles) are at hand
    double outside_tiles =
        -1;  ///< share of the entries that these would not hold, by a sample; -1: not asked for (a sparse u on a GPU alone)
};

/// Push or pull, in entries read in order. A product that is gathered, radix-sorted and reduced costs 10 to 14 of them (`nz bench
/// matvec`, 2 cores, 1 M rows, 16 M entries). Many products are added up bucket by bucket for 4 (`nz spmspv --density 0.3`:
/// rmat:20,16 55 ms against 178 by rows, rmat:18,16 12 against 18, laplace3d:80 24 against 25); sums that may end early are not
/// held against that: their rows cost less than their entries.
inline constexpr double push_cost = 12, push_scatter_cost = 4;
/// The CPU's push for so many products of so many columns, by the nanoseconds that each takes on two threads (`nz bench regret`: 57
/// matrices, vectors of four densities). The scatter clears and reads bits of all rows, and takes 4 a product while a cache holds
/// the rows' sums: 20 to 60 us for 6,000 products, which take 60 to 115 sorted. Beyond, it touches new pages as well: 650 us against
/// 300 for 24 K products of laplace2d:700; 4 ms against 6.5 to 9 for 390 K of rmat:20,16. The merge needs a round for each doubling of
/// the columns, and nothing else: 3 us for a dozen products, the radix sort 8.
constexpr std::string_view push_on_cpu(double products, offset_t columns, offset_t rows,
                                       std::size_t value_bytes) {
    constexpr double clear = 0.1, cached_add = 4, add = 5, page_bytes = 4096, page = 200;
    const double pages =
        std::min(products, static_cast<double>(rows) * static_cast<double>(value_bytes) / page_bytes);
    const double adding =
        sums_are_cached(rows, value_bytes) ? cached_add * products : add * products + page * pages;
    const int rounds = std::bit_width(static_cast<std::uint64_t>(columns > 1 ? columns - 1 : 0));
    const double scatter = 400 + clear * static_cast<double>(rows) + adding, radix = 5000 + 13 * products,
                 merge = (2 + 3.5 * rounds) * products;
    return scatter <= radix && scatter <= merge ? "csc_gather_scatter"
           : merge <= radix                     ? "csc_gather_merge"
                                                : "csc_gather_radix";
}
/// A product of the generic path, 12 ns, in entries that its pull looks at; and what turning the matrix for that takes an entry.
inline constexpr double generic_push_cost = 12, generic_turning = 8;
/// The same on a GPU, and what the push's further launches and its look at the number of products cost, in entries
/// read in order (8 M rows and 64 M entries, uniform and power-law columns, H200: 64 to 76 ps a product that is sorted,
/// 24 to 53 ps one that is scattered, 8.3 to 11 ps an entry read; 0.05 to 0.08 ms for few products).
inline constexpr double device_sort_cost = 7, device_scatter_cost = 4;
inline constexpr double device_push_launches = 6e6;
/// Likewise where pull is csr_merge, which takes 5.5 ps an entry and as much a row, and push sorts: 0.09 ms and 60 ps a product against
/// 0.03 and these (`nz bench regret`, one H200, 57 matrices and vectors of four densities; lp:4284,1092610,11300000 took 9 times as
/// long pushed, meshes of 40 to 100 M entries at a density of 0.1 1.3 to 1.6 times).
inline constexpr double device_sort_cost_even = 10.5, device_push_launches_even = 11.5e6;
/// Entries in rows of this mean length or less that read u far from the diagonal cost that share more (7 to 10 ps on random and uniform
/// graphs); those of long rows read it nearly in order.
inline constexpr double device_short_row = 32, device_scattered_cost = 0.3;
/// Of the sorts that keep an order a GPU's fastest one is into buckets, which are ranges of rows, for up to so many products and until rows
/// hold several (75 us for the merge sort's 99 and the radix sort's 108 at 16,000 products, 126 for 165 and 142 at 440,000;
/// dense:5000,5000, 5 products a row: 0.25 ms for the radix sort's 0.11; one for 3.1 rows on two cards, uniform:1048576,16: 0.121 and 0.129 for
/// 0.132 and 0.150, rmat:20,16, whose hubs share a bucket: 0.166 and 0.179 for 0.148 and 0.170); then up to so many the merge sort, beyond the radix sort, which is
/// never far off.
inline constexpr offset_t device_bucket_products = offset_t{1} << 19, device_merge_products = 16384;
inline constexpr double device_bucket_rows = 4, device_bucket_even_rows = 3, device_bucket_spread = 4;
/// Rows for each product from which on buckets serve: fewer where the longest row is known not to be much longer than the mean.
constexpr double bucket_rows_of(const mxv_facts& f) {
    const bool even =
        f.longest_row >= 0 && static_cast<double>(f.longest_row) * static_cast<double>(f.output_size) <=
                                  device_bucket_spread * static_cast<double>(f.nnz);
    return even ? device_bucket_even_rows : device_bucket_rows;
}
/// Where one block gathers, sorts and sums the products, the push is one launch and waits once for both numbers: a call of up to 128
/// products takes 13 to 24 us, of 513 to 3,072 20 to 36; between events up to 8,192 take 42 to 58, where the other pushes take 56 to 71. Pulls of small matrices take 13 to 24, and more
/// the more entries they read; csr_merge 22 to 37 whatever it reads (`nz bench regret`, one H200, 104 inputs, vectors of four densities;
/// with this rule 97% of the calls at densities of 0.001 and 0.0001 were within 1.1 of the fastest kernel).
inline constexpr double device_block_launch = 1.2e6, device_block_few = 3072, device_block_at_once = 256,
                        device_block_entries = 2000;
/// Likewise where tiles would be read: 26 to 30 us for 45 million entries, and the block 55 to 60 for 4,500 products.
inline constexpr double device_block_entries_in_tiles = 25000;
/// And for so many rows, of the first 131,072: tiles are looked for in all of them (us on two hosts, tiles and block: ibm10, 75,000 rows and
/// 298 products, 21 and 28 for 20 and 24; usroads, 129,000 and 331, 25 and 28 for 24 and 26; fe_body, 45,000 and 327, 23 and 28 for 22 and 23).
inline constexpr double device_block_rows_in_tiles = 700, device_block_most_rows = 131072;
/// Beyond so many entries the longest row's warp takes as long as the block does for as many products more: 46 us with a row of 1,383, 29 of
/// 504, where the block takes 26 and 23 for 400 products; with 277 the tiles take 16 and the block 21.
inline constexpr double device_block_longest_in_tiles = 256;
/// Products that are expected of a matrix from which on its columns are made for such a push, by reckoning: csr_merge takes
/// 60 us for 9 to 20, and building them is reckoned as eight reads of the matrix (random:1000000,8, densities of 0.00001 and 0.0001).
inline constexpr offset_t device_push_from_products = 32;
/// On a GPU csr_row is one launch for csr_merge's three: it is the faster one on matrices of so many entries in rows that are short on
/// average and none of them long (`nz bench regret`, one H200, 100 inputs: with a dense u 8 to 9 us for 12 to 13, with a sparse one 20 to 25
/// for 25 to 32, whose columns it looks at in order; within 1.1 of the faster of the two on 96 and 97%).
inline constexpr offset_t small_on_device = offset_t{1} << 19;
struct short_rows {
    offset_t longest;
    double mean;
};
constexpr short_rows short_on_device(bool dense) { return dense ? short_rows{28, 12} : short_rows{112, 20}; }
/// Rows are shared out in multiples of 64; with fewer of these than this for each thread, entries are instead.
inline constexpr offset_t row_blocks_a_thread = 4;
/// Below this many entries it does not matter.
inline constexpr offset_t merge_from_entries = 65536;
/// Rows this much longer than the mean leave a thread behind when rows are shared out whole.
inline constexpr double long_row_share = 0.5;

/// Rows of this mean length or less whose lengths deviate from it by more than this share of it cost csr_row a
/// mispredicted branch each; and where this share of the entries reads u at places that a core's cache of this many bytes
/// does not hold, more gathers are under way at once where no branch stands between them. csr_merge branches on neither
/// (powerlaw:1000000 6.9 ms for 15.6, random:1000000,3 4.4 for 5.5). It loses where rows are longer and u is at hand in
/// some cache (rmat:18,16 6.5 for 6.0, uniform:262144,16 8.5 for 6.0), and 10% on meshes, where the matrix streams by at
/// the memory's rate.
inline constexpr double short_row_mean = 8, varied_rows = 0.5, scattered_reads = 0.5;
/// Longer rows have 32 gathers under way in csr_row too (lp:4284,1092610,11300000 5.9 to 6.0 ms for csr_merge's 6.4).
inline constexpr double long_row_mean = 64;
inline constexpr double cached_bytes = 1 << 22;
/// Rows that may be empty are compacted first, which pays from this mean length on.
inline constexpr double compaction_mean = 4;

/// Making slices takes 9 to 17 products' time on a CPU (two threads) and 2 to 7 on a GPU, and a product then saves a quarter to a
/// half of its own: they are made where so many are to come, or have been, that they have paid by the end, or would have.
inline constexpr offset_t slices_from_products = 64, device_slices_from_products = 32;
/// On a GPU a slice is one warp's to make, diagonal by diagonal: of so many, on average, it takes 100 products' time (dense:6000,6000:
/// 8.7 ms, and a product 0.078 for 0.104), so that many more have to be expected.
inline constexpr double device_long_slice = 256;
inline constexpr offset_t device_long_slices_from_products = 512;
/// Smaller matrices stay in caches, and a GPU's launch is what they cost: the one for csr_merge's three, where so many more are expected.
inline constexpr offset_t slices_from_entries = 65536, device_slices_from_entries = offset_t{1} << 20;
inline constexpr offset_t device_small_slices_from_products = 256;
/// One slice is one warp's, or a part of one thread's share: none may have more than so many times the diagonals of the others, which a
/// sample does not see. A row has a slice with as many diagonals as it has entries.
inline constexpr double slice_spread = 8, longest_of_short = 64;
/// Slices pay where they are at most this share of the CSR's bytes: they then are what a product reads in place of it. Where values are
/// not read, 32 places of a diagonal are still work: with fewer than an eighth of them filled they are more than the columns' reading.
inline constexpr double slices_share = 0.9, slice_least_filled = 0.125;
/// On a GPU, whose csr_merge is further from the limit, up to the CSR's own bytes (H200, ms, slices and csr_merge, double: 27 diagonals of
/// 1,000,000 rows with 70% of their places filled 0.060 and 0.072, with 60% 0.060 and 0.066, 21 diagonals 0.0485 and 0.0552, 0.0484 and
/// 0.0484); and where rows are short, which csr_merge pays for with the time of two dozen bytes each (5 diagonals of 4,000,000 rows with
/// 70%, 60%, 50%, 40% 0.061 and 0.085, 0.062 and 0.079, 0.069 and 0.077, 0.071 and 0.072; float 0.037 and 0.065, 0.037 and 0.062, 0.039
/// and 0.059, 0.040 and 0.055).
inline constexpr double device_slices_share = 1, device_short_rows_share = 0.75, device_row_bytes = 24;
constexpr double csr_bytes_an_entry(std::size_t value_bytes) {
    return static_cast<double>(sizeof(index_t) + value_bytes);
}
constexpr double slice_bytes_an_entry(double diagonals_an_entry, std::size_t value_bytes) {
    return diagonals_an_entry *
           static_cast<double>(storage::slice_rows * value_bytes + sizeof(storage::slice_diagonal));
}
constexpr bool slices_are_filled(double diagonals_an_entry) {
    return diagonals_an_entry * storage::slice_rows * slice_least_filled <= 1;
}
constexpr bool slices_pay(double diagonals_an_entry, std::size_t value_bytes) {
    return slice_bytes_an_entry(diagonals_an_entry, value_bytes) <=
               slices_share * csr_bytes_an_entry(value_bytes) &&
           slices_are_filled(diagonals_an_entry);
}
/// Of rows with so many entries on the mean.
constexpr bool slices_pay_on_device(double diagonals_an_entry, std::size_t value_bytes, double row_mean) {
    const double slices = slice_bytes_an_entry(diagonals_an_entry, value_bytes),
                 csr = csr_bytes_an_entry(value_bytes);
    return slices_are_filled(diagonals_an_entry) &&
           (slices <= device_slices_share * csr ||
            slices * row_mean <= device_short_rows_share * (csr * row_mean + device_row_bytes));
}
constexpr bool slices_pay(const mxv_facts& f) {
    if (!f.on_device) return slices_pay(f.slice_diagonals, f.entry_bytes);
    return f.output_size > 0 &&
           slices_pay_on_device(f.slice_diagonals, f.entry_bytes,
                                static_cast<double>(f.nnz) / static_cast<double>(f.output_size));
}

/// The side with the fewest bytes for each entry, by a sample, and these.
struct block_choice {
    int side = 0;
    double bytes = 0;
    double places = 0;  ///< for each entry
};
constexpr block_choice best_blocks(const storage::block_sample& sample, std::size_t value_bytes) {
    block_choice best;
    for (std::size_t s = 0; s < sample.blocks.size(); ++s) {
        const int side = storage::block_sides[s];
        const double places = sample.blocks[s] * side * side;
        const bool full = places < 1 + 1e-9;
        const double bytes =
            places * static_cast<double>(value_bytes) +
            sample.blocks[s] * static_cast<double>(sizeof(index_t) + (full ? 0 : sizeof(std::uint64_t)));
        if (best.side == 0 || bytes < best.bytes) best = {side, bytes, places};
    }
    return best;
}
/// Blocks pay as slices do, with half of their places filled, and go before slices where they save another tenth of the bytes: the
/// two are as fast where both have whole runs (dense rows, bands).
inline constexpr double block_most_places = 2, blocks_over_slices = 0.9;
constexpr bool blocks_pay(const block_choice& of, std::size_t value_bytes) {
    return of.bytes <= slices_share * csr_bytes_an_entry(value_bytes) && of.places <= block_most_places;
}

/// Ranks pay where so many entries of the sample lie in hot columns, and u is larger than a core's cache, or than what was measured on a GPU
/// (shares of 0.1 to 0.5 gained 15 to 44% there, one of 0.003 lost; docs/measurements/spmv.md, SpMV and SpMSpV on a GPU). Making them takes the
/// time of 8 to 13 products on a CPU, two threads, which then save about a tenth each; of 3 on a GPU.
inline constexpr double hot_columns_share = 0.08;
inline constexpr offset_t ranks_from_products = 128, device_ranks_from_products = 32;
inline constexpr offset_t device_ranks_from_columns = offset_t{1} << 18;
constexpr bool may_rank(offset_t input_size, std::size_t value_bytes, bool on_device) {
    return on_device ? input_size >= device_ranks_from_columns
                     : static_cast<double>(input_size) * static_cast<double>(value_bytes) > cached_bytes;
}
/// Slices of equally long rows pay where they hold so much of the matrix; whether by ranked columns. Making them takes
/// the time of 4 to 13 products, which then save a seventh to a half (docs/measurements/spmv.md, SpMV, double).
inline constexpr double ell_least_share = 0.3;
inline constexpr offset_t ell_from_products = 128;
/// Smaller matrices stay in a core's caches, whose branches remember their rows: uniform:32768,16 (1.0 M entries) took 0.44 ms for csr_row's
/// 0.32, random:100000,8 (0.8 M) 0.35 for 0.40, rmat:16,16 (1.8 M) 0.65 for 0.83.
inline constexpr offset_t ell_from_entries = offset_t{3} << 19;
constexpr bool ell_pays(double share) { return share >= ell_least_share; }
constexpr bool ranks_ell(const mxv_facts& f) {
    return f.hot_columns >= hot_columns_share && may_rank(f.input_size, f.value_bytes, false);
}
/// Bins of columns pay on a GPU where entries read u all over and u is larger than what a cache has at hand for all: with operands of 8
/// bytes the second level's, where u has so many bytes, with smaller ones, whose entries and products move fewer bytes, the first level's. Making
/// them takes the time of a few products (docs/measurements/spmv.md, SpMV and SpMSpV on a GPU).
inline constexpr offset_t device_bins_from_products = 32, device_bins_from_entries = offset_t{1} << 22;
inline constexpr double bins_from_bytes = 36e6, bins_from_bytes_of_small = 1e6;
/// Entries of a mesh may lie far from the diagonal, but its rows' neighbours read what they read; and runs of columns read u in order.
inline constexpr double bins_least_reach = 1.0 / 16, bins_most_runs = 0.25;
/// A block brings a table of operands for its share of a range.
inline constexpr double bins_least_column = 2;
constexpr bool bins_may_pay(const mxv_facts& f) {
    const double bytes = static_cast<double>(f.input_size) * static_cast<double>(f.operand_bytes);
    return f.nnz >= device_bins_from_entries && f.expected >= device_bins_from_products &&
           bytes >= (f.operand_bytes < 8 ? bins_from_bytes_of_small : bins_from_bytes) &&
           static_cast<double>(f.nnz) >= bins_least_column * static_cast<double>(f.input_size) &&
           storage::may_bin(f.nnz, f.input_size, f.operand_bytes);
}
/// Kernels of a GPU that share entries out in chunks and leave empty rows out.
constexpr bool goes_by_chunks(std::string_view kernel) {
    return kernel == "csr_merge" || kernel == "csr_ranked" || kernel == "csr_binned";
}

constexpr tiling tiles_for(tiling asked) {
    const int size = asked.size ? asked.size : storage::usual_tile_size;
    return {size, asked.least_entries >= 0 ? asked.least_entries : storage::least_value_entries(size)};
}
constexpr bool reads_tiles(std::string_view kernel) { return kernel.starts_with("tile_"); }
/// tile_row on a GPU: whether u may have few enough entries for a look at strips of 64 rows and 16 columns before any at tiles. They
/// pay while less than a third of an entry of u is expected in the strips of 64 rows, and where the rows are more than two
/// waves of warps (fe_body (x) 6x6 is one: 12.3 us for 11.6; docs/measurements/tiles.md, tiles on a GPU).
constexpr bool few_for_strips(offset_t u_count, offset_t u_size, offset_t rows) {
    return u_count * 256 <= u_size && rows >= 1 << 19;
}
constexpr bool strips_pay(offset_t u_count, offset_t u_size, offset_t strips, offset_t rows) {
    const double expected = 16.0 * static_cast<double>(u_count) / static_cast<double>(u_size) *
                            (64.0 * static_cast<double>(strips) / static_cast<double>(rows));
    return expected < 1.0 / 3;
}

/// Tiles pay on a GPU for sparse vectors where they hold so much of the matrix, and u meets no more entries of a row on average: a third of
/// csr_merge's time on meshes of 10 million entries at a density of 0.001. A matrix so small that launches are what it costs (small_on_device)
/// takes 16 to 24 us for 20 to 40, whatever lies outside, where u has so few entries (`nz bench regret`, one H200, 110 inputs).
inline constexpr offset_t device_tiles_from_products = 128;
inline constexpr double tiles_most_outside = 0.5, tiles_most_met = 4, tiles_of_few_density = 0.1;
/// A row that is longer than the others is one warp's, with those beside it, which looks at its tiles, whether u meets them or not, and then at
/// what u meets: neither may be much where others wait for it. (c-39, longest row 668, mean 15: 0.8 of csr_merge's time at 0.001, 1.3 at
/// 0.01; there web-spam, 477 and 16, takes 0.9, ca-AstroPh, 504 and 21, 1.13, air04, 368 and 89, 1.3.)
inline constexpr double tiles_spread = 2, tiles_longest_row = 1536, tiles_rows_beside = 15,
                        tiles_most_of_longest = 3500;
/// Slices, which read all of the matrix in runs, are the faster ones where u has so much of its entries, and from less on where rows are
/// short and tiles hold little (H200, ms, tile_row and dia_slice at densities of 0.003, 0.01, 0.04, 0.08: grid2d:2000,0.3 0.042 and 0.034,
/// 0.056 and 0.035, 0.074 and 0.037, 0.076 and 0.042; laplace2d:2000 0.045 and 0.059, 0.069 and 0.061, 0.077 and 0.079, 0.085 and 0.083;
/// banded:2000000,9 0.017 and 0.043, 0.029 and 0.044, 0.048 and 0.045, 0.061 and 0.047; banded:1000000,21 0.015 and 0.046, 0.022 and
/// 0.047, 0.042 and 0.047, 0.057 and 0.047; laplace3d:100 0.024 and 0.055, 0.035 and 0.056, 0.052 and 0.058, 0.070 and 0.060).
constexpr double slices_from_density(double row_mean) { return std::min(row_mean * row_mean / 2500, 0.05); }

/// The products, or as many as columns of the mean length have.
constexpr double products_expected(const mxv_facts& f) {
    if (f.products >= 0) return static_cast<double>(f.products);
    return f.input_size ? static_cast<double>(f.input_count) * static_cast<double>(f.nnz) /
                              static_cast<double>(f.input_size)
                        : 0;
}
/// Whether a GPU's push goes by one block, if it turns out to hold the products.
constexpr bool gathers_in_block(const mxv_facts& f) {
    return f.on_device && may_gather_in_block(f.input_count, f.products) &&
           products_expected(f) <= static_cast<double>(block_products);
}

/// A plan for facts as they are known. When `products` is not known and push is in question, the plan names
/// the push kernel with workspace_bytes 0: ops collects the products and asks again.
mxv_plan mxv(const mxv_facts& facts) noexcept;

}  // namespace nz::plan
