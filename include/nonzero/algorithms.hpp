// Graph algorithms, written once over the operations.
#pragma once

#include "nonzero/traverse.hpp"

namespace nz {

/// Breadth-first search from `source`: the depth of every vertex reached and a parent in a shortest-path
/// tree. Edges run i -> j for A(i,j); the parent is the smallest frontier neighbour unless options ask for
/// any. Direction-optimised (yang2018). Throws index_out_of_bounds when the source is not a vertex,
/// dimension_mismatch when A is not square.
traverse_result bfs(const context& ctx, const matrix& a, offset_t source,
                    const traverse_options& options = {});

/// Checks a breadth-first search by Graph500's five rules: the parents form a tree rooted at the source; tree
/// edges join adjacent levels; every edge joins levels at most one apart (in its direction); the tree spans
/// the component; parents are joined to their children by edges. Returns an empty string, or the first rule
/// broken.
std::string validate_bfs(const context& ctx, const matrix& a, offset_t source, const vector& levels,
                         const vector& parents);

}  // namespace nz
