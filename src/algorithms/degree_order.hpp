// Degrees by a product.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

namespace nz::algorithms {

/// Entries of each row: int64, dense.
vector degrees(const context& ctx, const matrix& a);

}  // namespace nz::algorithms
