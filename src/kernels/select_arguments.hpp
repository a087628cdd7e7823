// What select is called with for a matrix. Two entry points: count, then fill.
#pragma once

#include "algebra/entry_function.hpp"
#include "kernels/mxv_arguments.hpp"

namespace nz::kernels {

struct select_arguments {
    const algebra::entry_function* keep = nullptr;
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    const void* values = nullptr;  ///< of `type`; one when constant
    dtype type = dtype::float64;
    bool constant = false;
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count
    // The result, for fill.
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< null where the result has one value for all, or none
};

}  // namespace nz::kernels
