#pragma once

#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::reference {

/// T = A (x) B: the entries A(i,j) and B(k,l) make the entry op(A(i,j), B(k,l)) at (i * rows of B + k,
/// j * columns of B + l). The shape must fit the index type (the caller checks).
storage::csr kronecker(const context& ctx, const binary_op& op, const storage::csr& a, const storage::csr& b);

}  // namespace nz::kernels::reference
