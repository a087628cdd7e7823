#pragma once

#include "nonzero/algebra.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// t(i) is the sum of row i, added in the order of columns; empty rows have no entry.
storage::vector_body reduce_rows(const context& ctx, const monoid& add, const storage::csr& a);
/// The sum of all entries in storage order, in the operand's type; the identity where there is none.
scalar reduce(const monoid& add, const storage::vector_body& u);
scalar reduce(const monoid& add, const storage::csr& a);

}  // namespace nz::kernels::reference
