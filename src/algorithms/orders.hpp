// The orders of vertices by which a matrix is renumbered. Graphs are given by their rows, both directions of every edge stored.
#pragma once

#include "core/buffer.hpp"
#include "storage/csr.hpp"

namespace nz::algorithms {

/// All vertices by falling or rising entries in their rows, ties by number: a counting sort.
array<index_t> by_degree(const context& ctx, const storage::csr& graph, bool falling);

/// Reverse Cuthill-McKee; order(new) = old. See order_cuthill_mckee.cpp.
array<index_t> order_cuthill_mckee(const context& ctx, const storage::csr& graph);
/// Groups around hubs. See order_cluster.cpp.
array<index_t> order_cluster(const context& ctx, const storage::csr& graph);

}  // namespace nz::algorithms
