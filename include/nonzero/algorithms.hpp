// Graph algorithms, written once over the operations.
#pragma once

#include "nonzero/centrality.hpp"
#include "nonzero/components.hpp"
#include "nonzero/cores.hpp"
#include "nonzero/independent.hpp"
#include "nonzero/pagerank.hpp"
#include "nonzero/propagation.hpp"
#include "nonzero/shortest.hpp"
#include "nonzero/strong_components.hpp"
#include "nonzero/traverse.hpp"
#include "nonzero/triangles.hpp"

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

/// Single-source shortest paths: distance(v) = min over paths from `source` to v of the sum of their weights, added from
/// the source on. Edges run i -> j for A(i,j), which is the edge's length; a pattern's edges have length 1. Distances
/// are int32 for weights of up to 32 bits (uint32: int64), int64 for 64, float32 or float64 for floats; a vertex that no
/// path reaches has no entry. An infinite weight is an edge that no path takes. The parent of v is the smallest u that
/// is nearer than v and has distance(u) + A(u,v) = distance(v); where all such u are as far as v (edges of length 0), the
/// smallest of those fewest such edges away from a vertex with a nearer parent. Distances and parents are the same bit
/// for bit in every run, on every backend and with every kernel. By delta-stepping. Throws index_out_of_bounds when the
/// source is not a vertex, dimension_mismatch when A is not square, domain_error for a weight that is negative or not a
/// number (the first such entry is named) and when a distance does not fit its type.
shortest_result sssp(const context& ctx, const matrix& a, offset_t source,
                     const shortest_options& options = {});

/// Checks shortest paths: the source has distance 0 and is its own parent; no edge leads from a reached vertex to one
/// with no or a larger distance than over this edge; every other reached vertex has a parent, joined to it by an edge
/// that gives exactly its distance; parents lead to the source without a cycle. Any valid tree passes. `parents` of size 0
/// are left out: then edges that give the distances must lead from the source to every reached vertex. Returns an
/// empty string, or the first rule broken.
std::string validate_sssp(const context& ctx, const matrix& a, offset_t source, const vector& distances,
                          const vector& parents);

/// PageRank: the r with r = d A^T D^-1 r + (1 - d (mass of vertices with edges out)) p, where D holds out-degrees, d is
/// the damping and p = 1/n or the personalisation: what vertices without edges out hold is spread as the rest is. Ranks sum
/// up to 1. Edges run i -> j for A(i,j); values are not read. By power iteration: nnz per step, 5 vectors of n. Throws
/// dimension_mismatch when A is not square, domain_error for options that make no sense.
pagerank_result pagerank(const context& ctx, const matrix& a, const pagerank_options& options = {});

/// Checks ranks by one step of the equation in double precision: none is negative, their sum is 1, and the step changes
/// them by at most options.tolerance (and what rounding of their type explains). Returns an empty string, or the
/// first rule broken.
std::string validate_pagerank(const context& ctx, const matrix& a, const vector& ranks,
                              const pagerank_options& options = {});

/// Weakly connected components: vertices joined by a path whatever the direction of its edges have one label, the
/// smallest of them. The same with every kernel and number of threads. About one look at each vertex's first two
/// edges, and at all of those outside the largest component (n words beside the labels: none). Throws
/// dimension_mismatch when A is not square.
components_result components(const context& ctx, const matrix& a, const components_options& options = {});

/// Checks a labelling, with any values for labels: every edge joins equal labels, and no label is in two components, which a
/// sequential union of all edges finds. Returns an empty string, or the first rule broken.
std::string validate_components(const context& ctx, const matrix& a, const vector& labels);

/// Strongly connected components: u and v have one label, the smallest vertex of their component, when paths along the
/// edges i -> j for A(i,j) lead from each to the other. The same labels with all options and any number of threads. By
/// trimming, searches forward and backward, and a depth-first walk over what these leave: products over nnz while they settle
/// much at once, then at most one look at each edge; A with its transpose, and up to 32 bytes a vertex. Throws
/// dimension_mismatch when A is not square.
strong_components_result strong_components(const context& ctx, const matrix& a,
                                           const strong_components_options& options = {});

/// Checks a labelling, with any values for labels, by Tarjan's algorithm: equal labels where components are the same, and only
/// there. Returns an empty string, or the first two vertices that are wrong.
std::string validate_strong_components(const context& ctx, const matrix& a, const vector& labels);

/// Triangles of an undirected graph: sets of three vertices, each joined to the others. A must have both directions of
/// every edge; values and the diagonal are not looked at. The total from one product C<U> = U U over (plus, pair), where U
/// holds each edge from the end of smaller degree (smaller index among equals); with options.per_vertex two more
/// products and, for each vertex, its triangles and the local clustering coefficient 2 t / (d (d - 1)), 0 for d < 2. Throws
/// dimension_mismatch when A is not square, domain_error when its pattern is not symmetric.
triangles_result triangles(const context& ctx, const matrix& a, const triangles_options& options = {});

/// Checks counts of triangles by another method: edge by edge, common neighbours of both ends that come later in the order of
/// indices. Per-vertex counts and coefficients are checked where there are any. Returns an empty string, or the first
/// number that is wrong.
std::string validate_triangles(const context& ctx, const matrix& a, const triangles_result& found);

/// Betweenness centrality: for each vertex v, the sum over `sources` s and all targets t, both other than v, of the share of
/// the shortest paths from s to t that pass through v. Paths count edges, i -> j for A(i,j). From all vertices as sources it
/// is the exact centrality (of an undirected graph twice what counts each pair once); from a sample an estimate up to the
/// factor vertices / sources. Two products a level and source, and 8 bytes a source and vertex reached. Throws
/// index_out_of_bounds when a source is not a vertex, dimension_mismatch when A is not square.
centrality_result betweenness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const centrality_options& options = {});

/// Checks centralities by Brandes's algorithm with a queue, source after source: every value within 1e-6 of the right one,
/// relative to the larger of it and 1. Returns an empty string, or the first vertex that is wrong.
std::string validate_betweenness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                 const vector& centrality);

/// Core numbers of an undirected graph: the largest k for which the vertex is left when vertices of fewer than k neighbours
/// are taken away until there is none. A must have both directions of every edge; values and the diagonal are not looked
/// at. By peeling: 2 nnz, and a few passes over n numbers a round. Throws dimension_mismatch when A is not square,
/// domain_error when its pattern is not symmetric.
cores_result cores(const context& ctx, const matrix& a);

/// Checks core numbers by peeling one vertex at a time. Returns an empty string, or the first vertex that is wrong.
std::string validate_cores(const context& ctx, const matrix& a, const vector& numbers);

/// A maximal independent set of an undirected graph: no two members are joined, and every other vertex is joined to a
/// member. The set that a walk in options.order takes, whatever the number of threads. A must have both directions of every
/// edge; values and the diagonal are not looked at. By rounds of two products over (max, second) and (any, pair), O(log^2 n) of
/// them expected; 48 bytes a vertex. Throws dimension_mismatch when A is not square, domain_error when its pattern is not
/// symmetric.
independent_set_result independent_set(const context& ctx, const matrix& a,
                                       const independent_set_options& options = {});

/// Checks a set edge by edge: `members` has a value for each vertex, other than 0 for those in the set; no edge joins two
/// of them, and each of the others has an edge to one. Returns an empty string, or the first rule broken.
std::string validate_independent_set(const context& ctx, const matrix& a, const vector& members);

/// A colouring of an undirected graph: no edge joins vertices of one colour. That of the greedy walk in options.order, where
/// each vertex takes the least colour that no neighbour before it has: at most (largest degree + 1) colours, the same for any
/// number of threads. A must have both directions of every edge; values and the diagonal are not looked at. By a maximal
/// independent set a colour; a copy of the edges that are left. Throws dimension_mismatch when A is not square, domain_error
/// when its pattern is not symmetric.
colouring_result colouring(const context& ctx, const matrix& a, const colouring_options& options = {});

/// Checks colours: every vertex has one, not negative, and no edge but a loop joins equal ones. Returns an empty string, or the
/// first rule broken.
std::string validate_colouring(const context& ctx, const matrix& a, const vector& colours);

/// Communities by label propagation, with the rule of LDBC Graphalytics: every vertex begins with its own number for a label; a
/// step gives each, all at once, the most frequent label among its neighbours, the smallest of such. Edges count at both
/// ends; in a graph whose pattern is not symmetric a neighbour in both directions counts twice, as does a loop. Vertices
/// without neighbours keep their label. At most options.max_iterations steps, fewer when one changes nothing.
/// Values are not looked at. A step is one product of nnz (2 nnz where the pattern is not symmetric) pairs, and as many
/// counts of 12 bytes at most. Throws dimension_mismatch when A is not square, domain_error for a negative number of steps.
propagation_result label_propagation(const context& ctx, const matrix& a,
                                     const propagation_options& options = {});

/// Checks labels by taking the same steps vertex by vertex, sorting the labels of its neighbours. Returns an empty string, or the
/// first vertex that is wrong.
std::string validate_label_propagation(const context& ctx, const matrix& a, const vector& labels,
                                       const propagation_options& options = {});

}  // namespace nz
