#pragma once

#include "storage/csr.hpp"

namespace nz::kernels::cpu {

/// T = A^T. `transposed` is A's transpose where it is stored already, else null. See convert.cpp.
storage::csr transpose_convert(const context& ctx, const storage::csr& a, const storage::csr* transposed);

}  // namespace nz::kernels::cpu
