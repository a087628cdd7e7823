// What apply/rows is called with: a matrix whose places stay.
#pragma once

#include "algebra/entry_function.hpp"
#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct apply_rows_arguments {
    const algebra::entry_function* f = nullptr;
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    const void* values = nullptr;  ///< of `type`; one when constant, null for a pattern
    dtype type = dtype::float64;
    bool constant = false;
    int threads = 1;
    void* out_values = nullptr;  ///< of the function's type
};

}  // namespace nz::kernels
