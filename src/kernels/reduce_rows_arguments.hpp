// What reduce/rows is called with.
#pragma once

#include "core/bits.hpp"
#include "kernels/csr_entries.hpp"
#include "nonzero/algebra.hpp"

namespace nz::kernels {

struct reduce_rows_arguments {
    const monoid* add = nullptr;
    csr_entries a;
    int threads = 1;
    // [rows]: sums of the monoid's type, and a bit where a row has an entry.
    void* sums = nullptr;
    bits::word* present = nullptr;
};

}  // namespace nz::kernels
