// Plans as callers see them: what an operation chose to do, as a plain value that prints and compares.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/types.hpp"
#include "nonzero/vector.hpp"

#include <array>
#include <string>
#include <string_view>

namespace nz {

/// pull: every output row gathers (rows of A, mask first). push: every input entry scatters (columns of A).
enum class direction : std::uint8_t { pull, push };
std::string_view name_of(direction d);

/// How the kernel was made: compiled for this semiring and type, or generic (a function pointer an entry).
enum class tier : std::uint8_t { compiled, generic };

/// How a matrix is cut into square tiles (ji2022, section 3.2). 0 and -1: the plan chooses.
struct tiling {
    int size = 0;            ///< rows and columns of a tile: 16, 32 or 64
    int least_entries = -1;  ///< tiles with fewer keep their entries outside, one by one

    friend bool operator==(const tiling&, const tiling&) = default;
};

/// What mxv and vxm decided. `kernel` and `reason` point to static text.
struct mxv_plan {
    std::string_view kernel;  ///< id without the operation's name, e.g. "csr_merge"
    nz::direction direction = nz::direction::pull;
    nz::tier tier = nz::tier::compiled;
    bool reads_transpose = false;   ///< reads the CSC of the matrix as given
    bool builds_transpose = false;  ///< ... which is not there yet: O(nnz) once
    bool converts_matrix = false;   ///< values are converted to the semiring's type: O(nnz)
    bool converts_vector = false;   ///< values or form of u change: O(size)
    bool early_exit = false;        ///< rows stop at the monoid's terminal value
    bool compacts_rows = false;     ///< csr_merge works on offsets without the empty rows
    tiling tiles{};                 ///< what tile_row and tile_column read; size 0: the CSR is read
    bool builds_tiles = false;      ///< ... which are not there yet: O(nnz) once
    bool builds_slices = false;     ///< the slices that dia_slice reads are not there yet: O(nnz) once
    int block_side = 0;             ///< of the blocks that bsr_row reads; 0: it does not run
    bool builds_blocks = false;     ///< ... which are not there yet: O(nnz) once
    bool builds_ranks = false;      ///< the ranks that csr_ranked reads are not there yet: O(nnz) once
    bool builds_bins = false;  ///< the bins of columns that csr_binned reads are not there yet: O(nnz) once
    bool ranked = false;       ///< ell_slice reads u in the order of its columns' entries
    bool builds_ell =
        false;  ///< the slices of equally long rows that ell_slice reads are not there yet: O(nnz) once
    vector_form input = vector_form::dense,
                output = vector_form::dense;  ///< forms the kernel reads and writes
    nz::determinism determinism = nz::determinism::strict;
    std::size_t workspace_bytes = 0;
    bool on_device = false;       ///< runs on the GPU
    std::size_t moved_bytes = 0;  ///< brought to the GPU from host memory first: operands not there yet
    std::string_view reason;

    friend bool operator==(const mxv_plan&, const mxv_plan&) = default;
};

/// What every other operation decided.
struct operation_plan {
    std::string_view operation;  ///< "mxm", "ewise_add"...
    std::string_view kernel;     ///< "reference", or a faster id
    nz::tier tier = nz::tier::generic;
    std::string_view reason;
    bool on_device = false;       ///< runs on the context's GPU
    std::size_t moved_bytes = 0;  ///< brought to it from host memory: operands that did not lie there

    friend bool operator==(const operation_plan&, const operation_plan&) = default;
};

/// What mxm decided: what every operation says, and the work and the memory that it takes.
struct mxm_plan : operation_plan {
    bool reads_columns = false;   ///< of the second operand (its transpose); column_column: of both
    bool builds_columns = false;  ///< ... which are not there yet: O(nnz) once
    bool packs_words = false;     ///< B's columns by words of 64 first: O(nnz) of B
    offset_t products = 0;        ///< entries of A with entries of their row of B
    std::size_t workspace_bytes = 0;
    index_t chunks =
        1;  ///< of rows, one after the other: more where the workspace of all (on a GPU: the result) does not fit
    index_t strips = 1;  ///< of B's columns, each with all of the chunks: more where not even B fits the GPU
    int fewest_threads = 0;  ///< that a chunk's workspace leaves room for; 0: all, uncut

    friend bool operator==(const mxm_plan&, const mxm_plan&) = default;
};

/// What mxd and sddmm decided: what every operation says, and what becomes of the dense operands.
struct dense_plan : operation_plan {
    bool reads_transpose = false;   ///< mxd: reads the CSC of the matrix as given
    bool builds_transpose = false;  ///< ... which is not there yet: O(nnz) once
    bool converts_matrix = false;   ///< values of A are converted to the semiring's type: O(nnz)
    bool packs_first = false;       ///< sddmm: X is copied, in the semiring's type, rows without gaps
    bool packs_second = false;      ///< mxd: B is copied so; sddmm: Y, columns without gaps
    bool accumulates = false;       ///< mxd: the kernel adds to C itself
    bool stages_result = false;     ///< mxd: C = accum(C, T) or a conversion is a pass of its own
    bool wide_tiles = false;        ///< mxd/csr_merge on a GPU: 512 bytes of a row of B at a time, not 256
    std::size_t workspace_bytes = 0;

    friend bool operator==(const dense_plan&, const dense_plan&) = default;
};

/// What each side of a product divided between a CPU and a GPU decided, and how it went.
struct hybrid_report {
    mxm_plan on_cpu;  ///< no kernel: the factors went to the GPU in parts and it took all rows
    mxm_plan on_gpu;
    double cpu_share = 0;           ///< of the products, those that the CPU added
    double cpu_ms = 0, gpu_ms = 0;  ///< from where both begin to fill until each had no more to do
};

/// What a product will be, before it is computed; masks are left out of account.
struct mxm_estimate {
    offset_t products = 0;        ///< entries of A with entries of their row of B
    offset_t most_entries = 0;    ///< no more can come out: in each row its products, or all columns
    double expected_entries = 0;  ///< from sampled rows; exact where all are sampled
    offset_t sampled_rows = 0;
    std::size_t most_bytes = 0;  ///< of the result's CSR, with most_entries
    double expected_bytes = 0;
    /// How far off the expectation was once `entries` came out: 0.1 when it was 10% too many.
    double error(offset_t entries) const {
        return entries ? expected_entries / static_cast<double>(entries) - 1 : 0;
    }
};

/// One line: kernel, direction, tier, conversions, workspace, reason.
std::string to_string(const mxv_plan& plan);
std::string to_string(const operation_plan& plan);
std::string to_string(const mxm_plan& plan);
std::string to_string(const dense_plan& plan);

}  // namespace nz
