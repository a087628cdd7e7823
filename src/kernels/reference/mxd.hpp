#pragma once

#include "nonzero/algebra.hpp"
#include "storage/dense.hpp"

namespace nz::kernels::reference {

/// t(i,j) is the sum of the products A(i,k) x B(k,j), added in the order of k; the monoid's identity where row i of A has
/// no entry. t has the type of the semiring's values. Any types, any semiring. Rows [first, last) alone.
void mxd(const semiring& s, const storage::csr& a, const storage::dense& b, const storage::dense& t,
         index_t first, index_t last);

}  // namespace nz::kernels::reference
