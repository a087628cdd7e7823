// Rows and columns of a matrix moved to other places, by extract/rows.
#pragma once

#include "ops/checks.hpp"
#include "ops/line_sources.hpp"

namespace nz::ops {

/// T(k, l) = A(source of row k, source of column l).
storage::csr moved_lines(const context& ctx, const storage::csr& a, const line_sources& rows,
                         const line_sources& columns);

/// The same on the context's GPU, where the result stays; it is of context `own`. Nothing where there is none, or no room.
std::optional<matrix> moved_where_it_fits(const context& ctx, const context& own, const operand& a,
                                          const line_sources& rows, const line_sources& columns);

}  // namespace nz::ops
