// The order of vertices by degree in which triangles are counted.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

namespace nz::algorithms {

/// Entries of each row: int64, dense.
vector degrees(const context& ctx, const matrix& a);
/// The entries of `a` from smaller to larger degree, among equals from smaller to larger index: each edge of an undirected
/// graph once, no loop, and at most sqrt(2 m) of m in a row.
matrix upwards(const context& ctx, const matrix& a, const vector& degrees);

}  // namespace nz::algorithms
