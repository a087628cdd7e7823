// Which kernel multiplies a sparse matrix by a dense one, or samples a product of two dense ones, and what is copied first.
// Pure: facts in, plan out.
#pragma once

#include "nonzero/plan.hpp"
#include "nonzero/views.hpp"

#include <limits>

namespace nz::plan {

struct mxd_facts {
    offset_t rows = 0, inner = 0, columns = 0;  ///< A is rows x inner, B inner x columns, as multiplied
    offset_t nnz = 0;
    bool transposed = false;       ///< A^T is multiplied
    bool transpose_ready = false;  ///< its rows are there
    /// The longest time of a thread that gets whole rows, over that of an even share, both as rows + entries.
    double whole_rows_share = 1;
    dense_order b_order = dense_order::row_major, c_order = dense_order::row_major;
    bool compiled = true;
    bool composable = false;     ///< it is not, but its operators are compiled by themselves
    bool by_columns = false;     ///< likewise, but mxv is compiled, or composed
    bool columns_ready = false;  ///< B lies by columns, or its values are not read
    bool on_device = false;      ///< the context has a GPU and the semiring is compiled for it
    // Of a sample of A's rows, on a GPU: the deviation of their lengths over the mean, how far their columns lie from the diagonal on
    // average, and how many stand right behind another; as they are here, not known.
    double row_deviation = std::numeric_limits<double>::infinity(),
           column_distance = std::numeric_limits<double>::infinity(), column_runs = 0;
    offset_t longest_row =
        -1;  ///< entries, on a GPU; below 0: not asked for, where there are too many entries
    bool convert_matrix = false;  ///< A's values are not of the semiring's type
    bool convert_b = false;       ///< nor are B's
    bool convert_c = false;       ///< C is not of the type of the sums
    bool accumulates = false;     ///< there is an accumulator
    bool adds = false;            ///< ... which is the monoid's own operator, in C's type
    std::size_t operand_bytes = 8, value_bytes = 8;
    std::size_t b_bytes = 8;  ///< of a value of B as it is given
    int threads = 1;
    /// What the memory limit leaves.
    std::size_t memory_left = std::numeric_limits<std::size_t>::max();
    std::string_view pinned{};  ///< empty, or an id that exists
};

struct sddmm_facts {
    offset_t rows = 0, inner = 0, columns = 0;  ///< X is rows x inner, Y inner x columns, as multiplied
    offset_t places = 0;
    bool x_by_rows = true, y_by_columns = true;  ///< sums run through neighbours in memory
    bool compiled = true;
    bool on_device = false;                     ///< the context has a GPU and the semiring is compiled for it
    bool convert_x = false, convert_y = false;  ///< values are not of the semiring's type
    std::size_t operand_bytes = 8;
    std::size_t memory_left = std::numeric_limits<std::size_t>::max();
    std::string_view pinned{};
};

/// csr_merge beyond this: its seams cost a few rows of additions a thread, so that evenness is all that counts.
inline constexpr double uneven_rows = 1.1;
/// Packing costs a read and a write of B and saves a line for each value but the first eight of an entry: worth it from two
/// entries of A for a row of B. Likewise the operands of sddmm, from two places for a row of X or a column of Y.
inline constexpr double pack_from_uses = 2;

/// What mxd is not compiled for goes by mxv, a column at a time, where that is less than the generic path's 12 ns a product: a call takes some
/// 5 us, a product 2 ns, an element of its vectors 1 (reckoned).
inline constexpr double column_call = 5000, column_saves = 10;
/// Columns of B from which a row of it, multiplied and added for each entry of A, takes less than its columns one by one (max_times,
/// ms, by columns at 8, 16 and 23, composed at 24, 32 and 64: a million entries at random, one thread, 31, 61, 91, 79, 123, 226;
/// laplace3d:40, whose rows of B are near, two threads, 11, 23, 33, 33, 37, 55).
inline constexpr index_t composed_from_columns = 24;

// On a GPU rows go to groups of lanes, neighbours side by side, where they are even, not short, and consist of runs of neighbouring
// columns, which the rows beside them share (uniform:1000000,20, whose do not, 0.82 for 0.68 ms at 8 columns): rows of B then come from
// a first-level cache. csr_merge goes through its runs one behind the other, and that cache keeps what a run meets again
// where columns lie near, which is as good where rows are short and rows of B long. Double, ms at 8, 16, 32, 64 columns, csr_tiled and
// csr_merge (H200): laplace3d:160 0.59, 0.96, 1.63, 3.30 and 0.83, 1.61, 2.78, 5.49; laplace3d:50 (x) 3x3 (78 entries a row) 0.22, 0.28,
// 0.45, 0.75 and 0.25, 0.33, 0.58, 1.15; bands of 21 diagonals 0.46, 0.78, 1.31, 2.54 and 0.69, 0.81, 1.34, 2.38, of 41 0.29,
// 0.40, 0.62, 1.10 and 0.35, 0.39, 0.70, 1.15; but rows of five entries (laplace2d:4000) 1.03, 1.73 and 0.96, 1.51 at 8 and 16.
inline constexpr double tiled_from_entries = 16, tiled_up_to_entries = 128, tiled_deviation = 0.25,
                        tiled_from_runs = 0.5, tiled_up_to_row_bytes = 256, tiled_long_entries = 28,
                        first_level_bytes = 256 * 1024;
// Wide tiles read A once for 512 bytes of a row of B (the band at 64 columns 2.4 for 2.7 ms by two tiles), but blocks in flight then
// meet more of B than the second-level cache keeps until neighbours come back to it: laplace2d:4000 6.6 for 5.4, rmat_directed:22,16
// 5.0 for 4.4.

// csr_tiled is one launch for csr_merge's three: 17 to 27 us for 23 to 37 on matrices of up to so many entries where C has up to so
// many bytes and rows, which a group of lanes goes through, no more entries than this and the columns, or than that where many rows are
// gone through beside a long one. `nz bench regret` (H200), csr_merge over csr_tiled: longest rows of 33 entries at 8 columns 1.24 (utm300), of 42 1.03, of 62
// and 95 0.91 and 0.78, but of 65 and 78 in 68,745 and 62,586 rows 1.34 and 1.28, of 202 in 31,163 0.72; at 64 columns of 67 and 128 1.04 and
// 0.98; C of 35 and 66 MB 1.22 and 1.15 (ca-HepTh, usroads).
inline constexpr offset_t small_entries = offset_t{1} << 20, small_longest_row = 28,
                          small_longest_row_of_many = 80, many_small_rows = 32768;
inline constexpr double small_bytes = 72e6;
// Even rows of more entries than this take a group of lanes longer than three launches where there are so few: qc324 (82 entries a row) and
// Journals (97) 0.80 at 8 columns, 1.01 and 0.91 at 64; bcsstk16 (59), ten times as many, 0.85 and 1.19.
inline constexpr offset_t few_even_entries = 32768;
inline constexpr double few_even_row = 64;

/// Whether a product of these facts runs on the GPU.
inline bool mxd_on_device(const mxd_facts& f) noexcept { return f.on_device && f.pinned != "reference"; }
dense_plan mxd(const mxd_facts& facts) noexcept;
dense_plan sddmm(const sddmm_facts& facts) noexcept;

}  // namespace nz::plan
