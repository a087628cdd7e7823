// A maximal independent set (Luby 1986; with one priority a vertex for good, Blelloch, Fineman, Shun 2012).
//
// Every vertex has a number of its own: its priority. A round, with c the priorities of the vertices not decided yet:
//     m<c> = A c over (max, second):     the highest priority among the undecided neighbours of each;
//     taken = c >= m (all of c where there is no such neighbour),     gone<c> = A taken over (any, pair);
// those taken are members, they and those gone are decided. The set is the one that a walk over all vertices in the order of
// priorities finds, which takes each unless it took a neighbour before: the same for any number of threads. Priorities are
// hashes, so O(log^2 n) rounds are to be expected (few: 5 to 10 on real graphs), of two products over the rows of the
// undecided, and passes over n. A loop at v compares v with itself, and takes nothing from it.
#include "algorithms/independent_rounds.hpp"
#include "core/checks.hpp"
#include "nonzero/operations.hpp"

namespace nz {

std::string_view name_of(vertex_order order) {
    return order == vertex_order::hashed                ? "hashed"
           : order == vertex_order::small_degrees_first ? "small"
                                                        : "large";
}

vertex_order parse_vertex_order(std::string_view name) {
    for (const auto order :
         {vertex_order::hashed, vertex_order::small_degrees_first, vertex_order::large_degrees_first})
        if (name == name_of(order)) return order;
    fail<domain_error>("'{}' is no order of vertices: hashed, small or large", name);
}

independent_set_result independent_set(const context& ctx, const matrix& a,
                                       const independent_set_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "independent_set: the matrix is {} x {}; a graph needs a square one",
                                a.rows(), a.columns());
    require<domain_error>(
        a.facts().symmetric_pattern,
        "independent_set: the graph has edges in one direction only: store both first (symmetrize)");
    independent_set_result r{vector::full(ctx, a.rows(), scalar(false)), 0, 0, {}};
    const vector members = algorithms::first_independent_set(
        ctx, a, algorithms::priorities(ctx, a, options.order, options.seed), r.rounds, r.plan);
    r.count = members.count();
    apply(ctx, r.members, unary_id::identity, members, {.accum = binary_id::second});
    return r;
}

}  // namespace nz
