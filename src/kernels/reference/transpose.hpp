#pragma once

#include "storage/csr.hpp"

namespace nz::kernels::reference {

/// t(j, i) = a(i, j).
storage::csr transpose(const context& ctx, const storage::csr& a);

}  // namespace nz::kernels::reference
