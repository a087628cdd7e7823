#pragma once

#include "kernels/composed_multiply.hpp"
#include "nonzero/algebra.hpp"
#include "storage/dense.hpp"

namespace nz::kernels::cpu {

/// T = A B for B and T by rows, T of the products' type: an operator and a monoid that are each compiled for whole arrays. Where A has no entry
/// the sum is the monoid's identity. See common_composed.cpp.
void mxd_composed(const context& ctx, const semiring& s, const composed_multiply& multiply, words_kernel add,
                  const storage::csr& a, const storage::dense& b, const storage::dense& t);

}  // namespace nz::kernels::cpu
