#pragma once

#include "kernels/composed_multiply.hpp"
#include "nonzero/algebra.hpp"

namespace nz::kernels::cpu {

/// The values of T = A B at the given places, which T's entries are or, under a mask, are among; any monoid, a multiply operator that is
/// compiled by itself. Every place has a product. `products`: those before each row of A. `places` gets the values. See common_composed.cpp.
void mxm_composed(const context& ctx, const semiring& s, const composed_multiply& multiply,
                  const storage::csr& a, const storage::csr& b, const offset_t* products, int threads,
                  storage::csr& places);

}  // namespace nz::kernels::cpu
