#pragma once

#include "algebra/entry_function.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// Each entry x at (i, j) becomes f(x, i, j).
storage::vector_body apply(const context& ctx, const algebra::entry_function& f,
                           const storage::vector_body& u);
storage::csr apply(const context& ctx, const algebra::entry_function& f, const storage::csr& a);

}  // namespace nz::kernels::reference
