#pragma once

#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// t(k) = u(indices[k]).
storage::vector_body extract(const context& ctx, const storage::vector_body& u, const index_list& indices);
/// t(k, l) = a(rows[k], columns[l]).
storage::csr extract(const context& ctx, const storage::csr& a, const index_list& rows,
                     const index_list& columns);
/// t(k) = a(rows[k], column).
storage::vector_body extract_column(const context& ctx, const storage::csr& a, const index_list& rows,
                                    index_t column);
/// t(j) = a(row, j).
storage::vector_body extract_row(const context& ctx, const storage::csr& a, index_t row);

}  // namespace nz::kernels::reference
