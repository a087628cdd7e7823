#pragma once

#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::reference {

/// T = A B: T(i,j) is the sum of the products A(i,k) x B(k,j), added in the order of k; no entry where there
/// is no product.
storage::csr mxm(const context& ctx, const semiring& s, const storage::csr& a, const storage::csr& b);

}  // namespace nz::kernels::reference
