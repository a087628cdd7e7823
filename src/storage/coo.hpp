// Coordinates: row index, column index and value of every entry, for work that is shared out by entries.
#pragma once

#include "storage/csr.hpp"

namespace nz::storage {

/// row_indices[nnz], column_indices[nnz], values by kind as in csr. Row by row, columns ascending, no place
/// twice.
struct coo {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    dtype type = dtype::float64;
    value_kind kind = value_kind::full;
    buffer row_indices, column_indices, values;

    const index_t* row_data() const { return row_indices.as<index_t>(); }
    const index_t* column_data() const { return column_indices.as<index_t>(); }
    std::size_t bytes() const { return row_indices.bytes() + column_indices.bytes() + values.bytes(); }
};

/// `a` must be sorted.
coo to_coo(const context& ctx, const csr& a);
csr to_csr(const context& ctx, const coo& a);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const coo& a, const char* what);

}  // namespace nz::storage
