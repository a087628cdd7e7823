// The k-truss (Cohen 2008): what is left when edges in fewer than k - 2 triangles are taken away until there is none.
//
// U holds each edge left once, from the end of smaller degree to the other, as for counting triangles. A triangle has one
// vertex i before the others, k between and j behind, and is met once at each of its edges, in one of the products under U
//     S<U> = U U + U U^T + U^T U over (plus, pair):   at i -> j its long side, at i -> k, and at k -> j,
// so that S holds for every edge the triangles it is in. A round keeps the entries of S of at least k - 2; the edges left are the
// truss once a round keeps all. U U and U U^T form at most m sqrt(2 m) products of m edges, U^T U as many: the rows that it adds
// up are those of U. It is asked to do just that, where the plan, which knows mean lengths, would rather take dot products of
// columns: those of hubs are long, and hubs are where U has most entries. Every round counts anew, over the edges left.
// The deepest truss is found by halving: an edge in t triangles is in no truss beyond t + 2, and where all edges left are in t or
// more they are the (t + 2)-truss. Every k tried begins with the edges and counts of the deepest truss known.
#include "algorithms/degree_order.hpp"
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "ops/select_rising.hpp"

namespace nz {
namespace {

class dropping {
public:
    dropping(const context& ctx, const matrix& a, const truss_options& o) : ctx_(ctx), o_(o), n_(a.rows()) {}

    truss_result run(const matrix& up) {
        truss_result r{
            matrix(ctx_, dtype::int64, n_, n_), vector(ctx_, dtype::int64, 0), o_.k ? o_.k : 2, 0, 0, 0, {}};
        matrix found = down_to(r.k, triangles_of(up, r), r);
        if (o_.k == 0 && found.nnz() > 0) found = deepest(std::move(found), r);
        finish(found, r);
        return r;
    }

private:
    // What is left of the edges whose triangles are `counts` when those of fewer than k - 2 go, with its triangles.
    matrix down_to(offset_t k, matrix counts, truss_result& r) const {
        while (true) {
            matrix left(ctx_, dtype::int64, n_, n_);
            select(ctx_, left, index_unary_id::valuege, counts, scalar(std::int64_t{k - 2}));
            if (left.nnz() == counts.nnz() || left.nnz() == 0) return left;
            counts = triangles_of(left, r);
        }
    }
    matrix deepest(matrix found, truss_result& r) const {
        const auto extreme = [&](binary_id which) { return reduce(ctx_, which, found).get<offset_t>(); };
        offset_t none = extreme(binary_id::max) + 3;
        r.k = extreme(binary_id::min) + 2;
        while (r.k + 1 < none) {
            const offset_t k = r.k + (none - r.k) / 2;
            matrix deeper = down_to(k, found, r);
            if (deeper.nnz() == 0) {
                none = k;
            } else {
                found = std::move(deeper);
                r.k = extreme(binary_id::min) + 2;
            }
        }
        return found;
    }
    matrix triangles_of(const matrix& u, truss_result& r) const {
        ++r.rounds;
        matrix s(ctx_, dtype::int64, n_, n_);
        apply(ctx_, s, binary_id::second, u, scalar(std::int64_t{0}));
        for (const auto& [first, second] :
             {std::pair(false, false), std::pair(false, true), std::pair(true, false)})
            r.plan = to_string(mxm(ctx_, s, ring_, u, u,
                                   {.mask = &u,
                                    .mask_structure = true,
                                    .accum = binary_id::plus,
                                    .transpose_a = first,
                                    .transpose_b = second,
                                    .kernel = o_.kernel.empty() && first ? "masked_row" : o_.kernel}));
        return s;
    }
    void finish(const matrix& found, truss_result& r) const {
        r.count = found.nnz();
        matrix back(ctx_, dtype::int64, n_, n_);
        transpose(ctx_, back, found);
        ewise_add(ctx_, r.edges, binary_id::plus, found, back);
        r.degrees = algorithms::degrees(ctx_, r.edges);
        vector some(ctx_, dtype::int64, n_);
        select(ctx_, some, index_unary_id::valuegt, r.degrees, scalar(std::int64_t{0}));
        r.vertices = some.count();
    }

    const context& ctx_;
    const truss_options& o_;
    const offset_t n_;
    const semiring ring_{binary_id::plus, binary_id::pair, dtype::int64};
};

}  // namespace

truss_result truss(const context& ctx, const matrix& a, const truss_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "truss: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(a.facts().symmetric_pattern,
                          "truss: the graph has edges in one direction only: store both first (symmetrize)");
    require<domain_error>(options.k == 0 || options.k >= 2,
                          "truss: there is no {}-truss: k is 2 or more, or 0 for the deepest", options.k);
    return dropping(ctx, a, options).run(ops::select_rising(ctx, a));
}

}  // namespace nz
