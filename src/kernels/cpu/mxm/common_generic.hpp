#pragma once

#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::cpu {

/// T = A B, any semiring and type, an indirect call a product. See common_generic.cpp.
storage::csr mxm_generic(const context& ctx, const semiring& s, const storage::csr& a, const storage::csr& b);

}  // namespace nz::kernels::cpu
