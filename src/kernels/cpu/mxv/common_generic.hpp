#pragma once

#include "core/bits.hpp"
#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::cpu {

/// w(i) = sum over k of A(i,k) x u(k) for rows i that the mask lets through, any semiring and type, an indirect call a product.
/// `mask` has a bit a row, null for none. See common_generic.cpp.
storage::vector_body mxv_generic(const context& ctx, const semiring& s, const storage::csr& a,
                                 const storage::vector_body& u, const bits::word* mask, bool complement);
/// The same from A's columns, those that a u with gaps names: `products` entries.
storage::vector_body mxv_generic_push(const context& ctx, const semiring& s, const storage::csr& columns,
                                      const storage::vector_body& u, offset_t products,
                                      const bits::word* mask, bool complement);

}  // namespace nz::kernels::cpu
