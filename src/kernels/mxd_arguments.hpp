// What every mxd kernel is called with. Plain pointers: the plan has settled how B lies, ops has made the conversions and
// owns all memory.
#pragma once

#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct mxd_arguments {
    // The rows of A.
    index_t rows = 0;
    offset_t nnz = 0;
    offset_reader offsets;
    const index_t* indices = nullptr;
    const void* values = nullptr;  ///< of the cell's operand type; not read where the multiply ignores them
    offset_t a_step = 1;           ///< 0: values[0] stands for every entry
    // B and C, of the cell's operand and value types: (i, j) is at i * row_step + j * column_step.
    index_t columns = 0;
    const void* b = nullptr;
    offset_t b_row_step = 0, b_column_step = 1;
    void* c = nullptr;
    offset_t c_row_step = 0, c_column_step = 1;
    bool accumulates = false;  ///< C(i,j) = C(i,j) (+) sum, and rows without entries stay
    void* workspace = nullptr;
    int threads = 1;
};

using mxd_kernel = void (*)(const mxd_arguments&);

}  // namespace nz::kernels
