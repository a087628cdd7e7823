// What apply/rows is called with: a matrix whose places stay.
#pragma once

#include "algebra/entry_function.hpp"
#include "kernels/csr_entries.hpp"

namespace nz::kernels {

struct apply_rows_arguments {
    const algebra::entry_function* f = nullptr;
    csr_entries a;
    int threads = 1;
    void* out_values = nullptr;  ///< of the function's type
};

}  // namespace nz::kernels
