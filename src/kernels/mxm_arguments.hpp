// What every mxm kernel is called with. Two entry points: count fills counts[rows], fill writes the result whose offsets
// were made from them. The workspace is the same block in both; fill may read what count left there.
#pragma once

#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct mxm_stage;

struct mxm_side {
    offset_reader offsets;
    const index_t* columns = nullptr;  ///< ascending in each row
    const void* values = nullptr;      ///< of the cell's operand type; null where the multiply ignores them
};

struct mxm_arguments {
    mxm_side a;
    offset_t a_step = 1;  ///< 0: a.values[0] stands for every entry
    mxm_side b;           ///< the rows of B; for masked_dot its columns
    index_t rows = 0, inner = 0, columns = 0;
    const offset_t* products = nullptr;  ///< [rows + 1]: products before each row
    // What the plan was made from; sizes of the workspace's parts.
    offset_t most_products = 0;  ///< of a row
    offset_t most_entries = 0;   ///< of a row of A
    const offset_t* words =
        nullptr;             ///< dense_row: [inner + 1] words of 64 columns before each row of B, or null
    void* packed = nullptr;  ///< with words: B's columns by words, which count writes and fill reads
    // The mask's places, those that count; for the kernels that look at it.
    bool masked = false, complement = false;
    offset_reader mask_offsets;
    const index_t* mask_columns = nullptr;
    int threads = 1;
    void* workspace = nullptr;
    std::size_t value_bytes = 8;  ///< of the result
    index_t* counts = nullptr;
    // The result, for fill.
    offset_reader offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;
    /// dense_row, hash, masked_row: the result is not counted. Offsets are the products before each row, out_columns and out_values are the stage's,
    /// and fill writes counts.
    mxm_stage* stage = nullptr;
    offset_t stage_place = 0;  ///< of a thread's own arguments: where its next run goes
};

using mxm_kernel = void (*)(const mxm_arguments&);

}  // namespace nz::kernels
