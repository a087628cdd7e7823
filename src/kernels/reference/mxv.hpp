#pragma once

#include "nonzero/algebra.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// t = A u: t(i) is the sum of the products A(i,k) x u(k), added in the order of k; no entry where there is
/// no product. For positional operators A(i,k) stands at (i, k) and u(k) at (k, 0). Any type, any semiring.
storage::vector_body mxv(const context& ctx, const semiring& s, const storage::csr& rows_of_a,
                         const storage::vector_body& u);

}  // namespace nz::kernels::reference
