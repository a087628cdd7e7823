#pragma once

#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

// What is assigned, spread over the output's shape. Where a list names a place more than once, the last one
// wins.

/// t(indices[k]) = u(k) for the entries of u.
storage::vector_body spread(const context& ctx, const storage::vector_body& u, const index_list& indices,
                            index_t size);
/// t(indices[k]) = x for all k.
storage::vector_body spread(const context& ctx, scalar x, const index_list& indices, index_t size);
/// t(rows[k], columns[l]) = a(k, l) for the entries of a.
storage::csr spread(const context& ctx, const storage::csr& a, const index_list& rows,
                    const index_list& columns, index_t row_count, index_t column_count);
/// t(rows[k], columns[l]) = x for all k and l.
storage::csr spread(const context& ctx, scalar x, const index_list& rows, const index_list& columns,
                    index_t row_count, index_t column_count);
/// The same at the entries of `mask` only: its values where `structure` does not say otherwise must not be 0.
storage::csr spread_masked(const context& ctx, scalar x, const index_list& rows, const index_list& columns,
                           const storage::csr& mask, bool structure);

/// w outside the listed places, and t (in w's type) within them.
storage::vector_body replace_region(const context& ctx, const storage::vector_body& w,
                                    const storage::vector_body& t, const index_list& indices);
/// c outside rows x columns, and t (in c's type) within.
storage::csr replace_region(const context& ctx, const storage::csr& c, const storage::csr& t,
                            const index_list& rows, const index_list& columns);
/// c with the entries of row i (column j) replaced by those of w, which has c's type.
storage::csr replace_row(const context& ctx, const storage::csr& c, index_t i, const storage::vector_body& w);
storage::csr replace_column(const context& ctx, const storage::csr& c, index_t j,
                            const storage::vector_body& w);

}  // namespace nz::kernels::reference
