// What every mxv kernel is called with, on every backend. Plain pointers: the plan has settled the forms, ops
// has made the conversions and owns all memory.
#pragma once

#include "core/bits.hpp"
#include "kernels/offset_reader.hpp"
#include "kernels/value_tile_arguments.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/types.hpp"
#include "storage/column_bins.hpp"
#include "storage/slice_diagonal.hpp"

#include <cstddef>

namespace nz::kernels {

/// csr_row and csr_row_masked alone: results go into an output in which every entry is present (out_present is null)
/// and rows without a result keep theirs.
enum class mxv_output : unsigned char { own, overwrite, add };

/// The slices of a matrix (storage/dia_slices.hpp), for dia_slice.
struct slice_arguments {
    const offset_t* starts = nullptr;  ///< [slices + 1]; null: every slice has count / slices
    const storage::slice_diagonal* diagonals = nullptr;
    offset_t count = 0;
};

/// The blocks of a matrix (storage/bsr.hpp), for bsr_row.
struct block_arguments {
    int side = 0;
    const offset_t* starts = nullptr;  ///< [block rows + 1]
    const index_t* columns = nullptr;
    const std::uint64_t* masks = nullptr;  ///< null: every block is full
    offset_t count = 0;
};

/// The columns of a matrix by their entries (storage/ranked_columns.hpp), for csr_ranked; null where the operator does not read u's values.
struct rank_arguments {
    const index_t* columns = nullptr;
    const index_t* ranks = nullptr;
    index_t held = 0;  ///< columns with entries, which come first
};

/// The entries of a matrix by ranges of columns (storage/column_bins.hpp), for csr_binned.
struct bin_arguments {
    offset_t ranges = 0;
    const std::uint32_t* range_starts = nullptr;
    const std::uint16_t* columns = nullptr;
    const void* values = nullptr;  ///< as mxv_arguments has them, by ranges
    const std::uint16_t* order = nullptr;
    const storage::bin_word* words = nullptr;
    const std::uint32_t* deltas = nullptr;
};

/// The slices of equally long rows (storage/ell_slices.hpp), for ell_slice.
struct ell_arguments {
    index_t slices = 0, whole = 0;
    const offset_t* starts = nullptr;        ///< [slices + 1]
    const offset_t* whole_starts = nullptr;  ///< [whole + 1]
    const index_t* rows = nullptr;           ///< [32 slices + whole]
    const index_t* places = nullptr;         ///< [nnz]
    const bits::word* present = nullptr;     ///< rows with entries
    const index_t* columns = nullptr;        ///< where ranked, as rank_arguments has them
    index_t held = 0;
};

struct mxv_arguments {
    // The matrix: for csr_* kernels the rows of A, for csc_* kernels its columns (the rows of A^T).
    index_t output_size = 0;  ///< rows of A
    offset_t nnz = 0;
    offset_reader offsets;
    const index_t* indices = nullptr;
    const void* values = nullptr;  ///< of the cell's operand type; one value when constant
    bool constant = false;         ///< iso or pattern: values[0] stands for every entry
    // The vector u: dense (present null), bitmap, or sparse (u_indices not null, u_count entries).
    index_t u_size = 0;
    const void* u_values = nullptr;
    const bits::word* u_present = nullptr;
    const index_t* u_indices = nullptr;
    offset_t u_count = 0;
    // The mask, canonical; null: every row may be written.
    const bits::word* mask = nullptr;
    bool complement = false;
    bool early_exit = false;
    mxv_output output = mxv_output::own;
    bool compacts_rows = false;  ///< csr_merge: there are empty rows to leave out
    value_tile_arguments tiles;  ///< tile_*: their entries' values are `values`, those outside tiles last
    slice_arguments slices;      ///< dia_slice: its values are `values`
    block_arguments blocks;      ///< bsr_row, likewise
    rank_arguments ranked;       ///< csr_ranked, beside the CSR
    bin_arguments bins;          ///< csr_binned, beside the CSR
    ell_arguments ell;           ///< ell_slice: its values are `values`
    // The result, of the cell's value type. csr_* and csc_gather_scatter: out_values[output_size] and bits in
    // out_present (null when every row has an entry for certain). The sorting kernels: out_indices,
    // out_values (room for `products`) and *out_count.
    void* out_values = nullptr;
    bits::word* out_present = nullptr;
    index_t* out_indices = nullptr;
    offset_t* out_count = nullptr;
    void* workspace = nullptr;
    int threads = 1;
};

using mxv_kernel = void (*)(const mxv_arguments&);

}  // namespace nz::kernels
