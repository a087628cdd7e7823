// What the kernels of kronecker are called with. Row i * rows of B + k of the result holds the entries of A's row i times those of B's
// row k, so that its offsets are known beforehand.
#pragma once

#include "algebra/bound.hpp"
#include "kernels/csr_entries.hpp"

namespace nz::kernels {

/// Where a row of the result begins, that of [begin, end) of A's entries and of a row of B that begins at `b_begin`.
constexpr offset_t kronecker_offset(offset_t begin, offset_t end, offset_t b_begin, offset_t b_entries) {
    return begin * b_entries + (end - begin) * b_begin;
}

struct kronecker_arguments {
    csr_entries a, b;
    index_t b_columns = 0;
    offset_t b_entries = 0;
    const algebra::bound_binary* op = nullptr;
    int threads = 1;
    void* out_offsets = nullptr;  ///< [rows of A * rows of B + 1]
    bool wide = false;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< of the operator's type
};

/// Places, and for each the two values that meet there; pointers are the device's.
struct device_kronecker_arguments {
    index_t a_rows = 0, b_rows = 0, b_columns = 0;
    offset_t entries = 0, b_entries = 0;
    offset_reader a_offsets, b_offsets;
    const index_t *a_columns = nullptr, *b_columns_of = nullptr;
    const void *a_values = nullptr, *b_values = nullptr;  ///< of one type; null: not to be moved
    std::size_t value_bytes = 0;
    void* out_offsets = nullptr;
    bool wide = false;
    index_t* out_columns = nullptr;
    void *out_a = nullptr, *out_b = nullptr;
};

}  // namespace nz::kernels
