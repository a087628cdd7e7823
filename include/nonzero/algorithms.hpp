// Graph algorithms, written once over the operations.
#pragma once

#include "nonzero/centrality.hpp"
#include "nonzero/closeness.hpp"
#include "nonzero/closure.hpp"
#include "nonzero/components.hpp"
#include "nonzero/cores.hpp"
#include "nonzero/independent.hpp"
#include "nonzero/markov.hpp"
#include "nonzero/matching.hpp"
#include "nonzero/pagerank.hpp"
#include "nonzero/propagation.hpp"
#include "nonzero/shortest.hpp"
#include "nonzero/strong_components.hpp"
#include "nonzero/traverse.hpp"
#include "nonzero/triangles.hpp"
#include "nonzero/truss.hpp"

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
/// batch there; with options.of_vertices each vertex has the number of sources that reach it, the sum of its levels and
/// the greatest. Throws index_out_of_bounds when a source is not a vertex, dimension_mismatch when A is not square,
/// out_of_memory when levels or sums do not fit.
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
/// number (the first such entry is named), not_supported when a distance does not fit its type.
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

/// Betweenness centrality: for each vertex v, the sum over `sources` s (as often as given) and all targets t, both other than v,
/// of the share of the shortest paths from s to t that pass through v. Paths count edges, i -> j for A(i,j). From all vertices as sources it
/// is the exact centrality (of an undirected graph twice what counts each pair once); from a sample an estimate up to the
/// factor vertices / sources. 16 sources at a time (64 on a GPU), 8 bytes a vertex and source of a batch. Throws
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

/// The k-truss of an undirected graph: the largest set of edges of which each is in k - 2 triangles or more of edges of the set;
/// with options.k = 0 for the largest k that has one. A must have both directions of every edge; values and the diagonal are not
/// looked at. By rounds of three masked products over (plus, pair), at most m sqrt(2 m) pairs each for m edges; 40 bytes an
/// edge. Throws dimension_mismatch when A is not square, domain_error when its pattern is not symmetric and for k below 2.
truss_result truss(const context& ctx, const matrix& a, const truss_options& options = {});

/// Checks the k-truss by taking away one edge at a time: `edges` are those left, in both directions, each with its triangles.
/// Returns an empty string, or the first edge that is wrong.
std::string validate_truss(const context& ctx, const matrix& a, offset_t k, const matrix& edges);

/// Closeness and eccentricity of every vertex v from `sources`, each counted once: with r of the s sources other than v having a
/// path to v, over t edges in all, closeness(v) = (r / s) (r / t), and eccentricity(v) is the longest of these paths. From all
/// vertices as sources both are exact (Wasserman and Faust's closeness), from a sample an estimate and a lower bound. Paths
/// count edges, i -> j for A(i,j); with options.outward those from v to the sources. A multi-source search for each 64 sources; 80
/// bytes a vertex beside it. Throws index_out_of_bounds when a source is not a vertex, dimension_mismatch when A is
/// not square.
closeness_result closeness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                           const closeness_options& options = {});

/// Checks sums by a search with a queue from each source: counts, distances and eccentricities are equal, closeness is within
/// 1e-12. Returns an empty string, or the first value that is wrong.
std::string validate_closeness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                               const closeness_result& found, const closeness_options& options = {});

/// A maximal matching of the bipartite graph whose edges join row i and column j for A(i,j), of any shape: entries no two of
/// which share a row or a column, and to which none can be added. At least half as many as the most possible. The same for
/// any number of threads. By rounds of proposals over (min, plus), about log n of them expected; 12 bytes an edge.
matching_result matching(const context& ctx, const matrix& a, const matching_options& options = {});

/// Checks a matching, with -1 for no mate: mates are each other's and joined by an entry, and no entry joins two without a mate.
/// Returns an empty string, or the first rule broken.
std::string validate_matching(const context& ctx, const matrix& a, const vector& of_rows,
                              const vector& of_columns);

/// The transitive closure: (i,j) is an entry where a path of at least one edge leads from i to j, or with options.reflexive of
/// none. By squaring over (any, pair): log2 of the longest shortest path products, the last of them on as many entries as there
/// are pairs, up to n^2. Throws dimension_mismatch when A is not square, domain_error for a negative number of steps,
/// out_of_memory where the closure does not fit.
closure_result transitive_closure(const context& ctx, const matrix& a, const closure_options& options = {});

/// Checks a closure, of as many steps as it needed, by a search from every vertex. Returns an empty string, or the first pair that is wrong.
std::string validate_transitive_closure(const context& ctx, const matrix& a, const matrix& reach,
                                        const closure_options& options = {});

/// Clusters by the Markov process: flows along the edges, weighted by their values, are squared (P = P P over (plus, times)),
/// pruned below options.threshold and raised to the power options.inflation, each vertex's scaled to 1, until they are even;
/// clusters are the components of what is left. A needs both directions of every edge and values above 0; the diagonal is not
/// looked at. Deterministic. Nearly all of the cost are the products; rows have at most 1 / threshold entries after the first
/// step, which takes A A. Throws dimension_mismatch when A is not square, domain_error for other graphs and options.
markov_result markov_clustering(const context& ctx, const matrix& a, const markov_options& options = {});

/// Checks clusters by taking the same steps row by row in plain loops. Returns an empty string, or the first vertex that is
/// elsewhere.
std::string validate_markov_clustering(const context& ctx, const matrix& a, const vector& labels,
                                       const markov_options& options = {});

}  // namespace nz
