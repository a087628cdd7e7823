// Graph colouring by independent sets: colour c goes to the first maximal independent set, in one order of all vertices,
// among those that colours 0 to c - 1 have left over.
//
// A vertex is left over by c exactly when a neighbour before it took c, so each gets the least colour that no neighbour before
// it has: the colouring of the sequential greedy walk in that order, with at most (largest degree + 1) colours, and the
// same for any number of threads. The order is by falling degree, coarsely, then hashed: few colours, and short chains of
// vertices that wait for each other (largest log-degree first: Hasenplaugh, Kaler, Schardl, Leiserson 2014).
// Colour by colour needs only a number a vertex; sets of forbidden colours, which fewer rounds would take, have no compiled
// semiring. When half of the vertices are gone since it was last done, edges to them are dropped, so that late colours, of which
// hubs cause many, do not read the rows of all: 2 nnz entries are looked at for that in all.
#include "algorithms/independent_rounds.hpp"
#include "core/checks.hpp"
#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

namespace nz {
namespace {

// The edges of `a` with both ends in `left`.
matrix edges_among(const context& ctx, const matrix& a, const vector& left) {
    const array<char> in(ctx, static_cast<std::size_t>(a.rows()));
    in.fill(0);
    storage::for_each_entry(left.body(), [&](index_t v, offset_t) { in[static_cast<std::size_t>(v)] = 1; });
    const auto both = index_unary_op::make<bool, std::int64_t>(
        "both", [&in](std::int64_t, offset_t i, offset_t j, std::int64_t) {
            return in[static_cast<std::size_t>(i)] && in[static_cast<std::size_t>(j)];
        });
    matrix b(ctx, a.type(), a.rows(), a.columns());
    select(ctx, b, both, a, scalar(std::int64_t{0}));
    return b;
}

}  // namespace

colouring_result colouring(const context& ctx, const matrix& a, const colouring_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "colouring: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(
        a.facts().symmetric_pattern,
        "colouring: the graph has edges in one direction only: store both first (symmetrize)");
    colouring_result r{vector::full(ctx, a.rows(), scalar(std::int32_t{0})), 0, 0, {}};
    vector left = algorithms::priorities(ctx, a, options.order, options.seed);
    matrix among = a;
    for (offset_t with_edges = left.count(); left.count() > 0; ++r.count) {
        if (2 * left.count() <= with_edges) {
            among = edges_among(ctx, among, left);
            with_edges = left.count();
        }
        const vector set = algorithms::first_independent_set(ctx, among, left, r.rounds, r.plan);
        apply(ctx, r.colours, binary_id::second, set, scalar(static_cast<std::int32_t>(r.count)),
              {.accum = binary_id::second});
        vector others(ctx, dtype::int64, a.rows());
        apply(ctx, others, unary_id::identity, left,
              {.mask = &set, .mask_structure = true, .mask_complement = true});
        left = std::move(others);
    }
    return r;
}

}  // namespace nz
