#pragma once

#include "core/bits.hpp"
#include "kernels/composed_multiply.hpp"
#include "nonzero/algebra.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::cpu {

/// w(i) = sum over k of A(i,k) x u(k) for rows i that the mask lets through, a block of entries at a time: any monoid, a multiply operator that
/// is compiled by itself. `mask` has a bit a row, null for none. See common_composed.cpp.
storage::vector_body mxv_composed(const context& ctx, const semiring& s, const composed_multiply& multiply,
                                  const storage::csr& a, const storage::vector_body& u,
                                  const bits::word* mask, bool complement);

}  // namespace nz::kernels::cpu
