#pragma once

#include "algebra/entry_function.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// Keeps the entries x at (i, j) for which keep(x, i, j) is not 0, values unchanged.
storage::vector_body select(const context& ctx, const algebra::entry_function& keep,
                            const storage::vector_body& u);
storage::csr select(const context& ctx, const algebra::entry_function& keep, const storage::csr& a);

}  // namespace nz::kernels::reference
