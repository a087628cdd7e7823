// What reduce/rows is called with.
#pragma once

#include "core/bits.hpp"
#include "kernels/offset_reader.hpp"
#include "nonzero/algebra.hpp"

namespace nz::kernels {

struct reduce_rows_arguments {
    const monoid* add = nullptr;
    index_t rows = 0;
    offset_reader offsets;
    const void* values = nullptr;  ///< of `type`; one for all when constant
    dtype type = dtype::float64;
    bool constant = false;
    int threads = 1;
    // [rows]: sums of the monoid's type, and a bit where a row has an entry.
    void* sums = nullptr;
    bits::word* present = nullptr;
};

}  // namespace nz::kernels
