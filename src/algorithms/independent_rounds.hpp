// What independent sets and colourings share: an order of the vertices, and the first maximal independent set in it.
#pragma once

#include "nonzero/algorithms.hpp"

namespace nz::algorithms {

/// A number for each vertex, int64, dense, all different: higher comes first. Bits from the top: 5 for the degree's highest bit
/// (by order), 27 of a hash of seed and vertex, 31 for the vertex.
vector priorities(const context& ctx, const matrix& a, vertex_order order, std::uint64_t seed);

/// Takes from `candidates` (priorities of those that take part) the vertices that a greedy walk in falling order would take,
/// each unless a neighbour was taken before. Returns them, bool, one present for each; counts rounds.
vector first_independent_set(const context& ctx, const matrix& a, vector candidates, int& rounds,
                             std::string& plan);

}  // namespace nz::algorithms
