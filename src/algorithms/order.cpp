// Orders of vertices: which there are, and the graph that they look at.
//
// Both directions of an edge count, so a matrix whose pattern is not symmetric is joined with its transpose first: places alone, the
// matrix's own arrays lent to one without values. The orders themselves are walks in which every step depends on all before
// it: plain loops over rows, no products.
#include "algorithms/orders.hpp"
#include "core/checks.hpp"
#include "nonzero/operations.hpp"
#include "nonzero/reorder.hpp"
#include "ops/matrix_words.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nz {
namespace {

// The places of A or A^T.
matrix joined(const context& ctx, const matrix& a) {
    const matrix lent = storage::make_matrix(ctx, ops::pattern_of(a.body().rows(), dtype::boolean));
    matrix both(ctx, dtype::boolean, a.rows(), a.rows());
    ewise_add(ctx, both, binary_id::lor, lent, lent, {.transpose_b = true});
    return both;
}

array<index_t> order_of(const context& ctx, const storage::csr& graph, ordering how) {
    switch (how) {
        case ordering::reverse_cuthill_mckee:
            return algorithms::order_cuthill_mckee(ctx, graph);
        case ordering::degree:
            return algorithms::by_degree(ctx, graph, true);
        default:
            return algorithms::order_cluster(ctx, graph);
    }
}

}  // namespace

namespace algorithms {

array<index_t> by_degree(const context& ctx, const storage::csr& graph, bool falling) {
    array<index_t> order(ctx, static_cast<std::size_t>(graph.rows));
    storage::with_offsets(graph, [&](const auto* offsets) {
        offset_t most = 0;
        for (index_t v = 0; v < graph.rows; ++v) most = std::max<offset_t>(most, offsets[v + 1] - offsets[v]);
        const auto key = [&](index_t v) {
            const offset_t degree = offsets[v + 1] - offsets[v];
            return static_cast<std::size_t>(falling ? most - degree : degree);
        };
        std::vector<index_t> next(static_cast<std::size_t>(most) + 1);
        for (index_t v = 0; v < graph.rows; ++v) ++next[key(v)];
        index_t running = 0;
        for (index_t& place : next) running += std::exchange(place, running);
        for (index_t v = 0; v < graph.rows; ++v) order[static_cast<std::size_t>(next[key(v)]++)] = v;
    });
    return order;
}

}  // namespace algorithms

std::string_view name_of(ordering how) {
    return how == ordering::reverse_cuthill_mckee ? "rcm" : how == ordering::degree ? "degree" : "cluster";
}

ordering parse_ordering(std::string_view name) {
    for (const auto how : {ordering::reverse_cuthill_mckee, ordering::degree, ordering::cluster})
        if (name == name_of(how)) return how;
    fail<domain_error>("'{}' is no ordering: rcm, degree or cluster", name);
}

vector order(const context& ctx, const matrix& a, ordering how) {
    require<dimension_mismatch>(
        a.rows() == a.columns(),
        "order: the matrix is {} x {}; rows and columns are renumbered alike, so it must be square", a.rows(),
        a.columns());
    const bool symmetric = a.body().known_symmetric() || a.facts().symmetric_pattern;
    const matrix graph = symmetric ? a : joined(ctx, a);
    const array<index_t> found = order_of(ctx, graph.body().rows(), how);
    return vector::dense<index_t>(ctx, {found.data(), static_cast<std::size_t>(a.rows())});
}

}  // namespace nz
