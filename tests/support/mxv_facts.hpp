// What a plan of mxv is told of a matrix, where a test says no more.
#pragma once

#include "plan/mxv.hpp"

namespace nz::test {

/// Of n rows and columns, with a dense u.
inline plan::mxv_facts square(offset_t n, offset_t nnz) {
    plan::mxv_facts f;
    f.output_size = f.input_size = n;
    f.nnz = nnz;
    f.empty_rows = 0;
    f.degree_max = nnz / n;
    f.input_count = n;
    f.push_ready = true;
    f.threads = 2;
    return f;
}

}  // namespace nz::test
