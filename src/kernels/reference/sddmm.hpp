#pragma once

#include "nonzero/algebra.hpp"
#include "storage/dense.hpp"

namespace nz::kernels::reference {

/// T has the places of `places` (their values do not matter): T(i,j) is the sum of the products X(i,k) x Y(k,j), added in
/// the order of k. X has one column at least. Any types, any semiring.
storage::csr sddmm(const context& ctx, const semiring& s, const storage::dense& x, const storage::dense& y,
                   const storage::csr& places);

}  // namespace nz::kernels::reference
