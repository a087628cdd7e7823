#pragma once

#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::cpu {

/// T = A B, any semiring and type. See row_row.cpp.
storage::csr mxm_row_row(const context& ctx, const semiring& s, const storage::csr& a, const storage::csr& b);

}  // namespace nz::kernels::cpu
