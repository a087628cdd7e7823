// The select that orders a graph's edges by degree: what triangles and trusses are counted over.
#pragma once

#include "nonzero/matrix.hpp"

namespace nz::ops {

/// The pattern of a square matrix's entries (i, j) whose row j has more entries than row i, or as many with j > i: on a
/// GPU where the context has one.
matrix select_rising(const context& ctx, const matrix& a);

}  // namespace nz::ops
