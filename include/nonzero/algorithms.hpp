// Graph algorithms, written once over the operations.
#pragma once

#include "nonzero/traverse.hpp"

#include <span>

namespace nz {

/// Breadth-first search from `source`: the depth of every vertex reached and a parent in a shortest-path
/// tree. Edges run i -> j for A(i,j); the parent is the smallest frontier neighbour unless options ask for
/// any. Direction-optimised (yang2018). Throws index_out_of_bounds when the source is not a vertex,
/// dimension_mismatch when A is not square.
traverse_result bfs(const context& ctx, const matrix& a, offset_t source,
                    const traverse_options& options = {});

/// Breadth-first searches from all of `sources` (repeats allowed), 64 at a time: one bit a source in the word of a
/// vertex, so that an edge looked at serves all of them (after the multi-source search of Then et al., VLDB 2014).
/// The result holds, for each source, the vertices reached, the sum of their levels (what closeness needs), the
/// greatest level and, with options.levels, every level: 4 bytes a source and vertex on the host, and on a GPU for one
/// batch there. Throws index_out_of_bounds when a source is not a vertex, dimension_mismatch when A is not square,
/// out_of_memory when the levels do not fit.
traverse_many_result bfs_many(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const traverse_many_options& options = {});

/// Checks the levels of a breadth-first search without parents: level 0 is the source alone; no edge leads from a
/// reached vertex to one not reached or more than one level down; every reached vertex but the source has an edge
/// from the level above. Returns an empty string, or the first rule broken.
std::string validate_levels(const context& ctx, const matrix& a, offset_t source, const vector& levels);

/// Checks a breadth-first search by Graph500's five rules: the parents form a tree rooted at the source; tree
/// edges join adjacent levels; every edge joins levels at most one apart (in its direction); the tree spans
/// the component; parents are joined to their children by edges. Returns an empty string, or the first rule
/// broken.
std::string validate_bfs(const context& ctx, const matrix& a, offset_t source, const vector& levels,
                         const vector& parents);

}  // namespace nz
