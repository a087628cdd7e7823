// Triangles: a masked product over (plus, pair), vertices ordered by degree.
//
// U holds each edge once, from the end with the shorter row to the other (among equals from the smaller index). Every
// triangle has one vertex i before the others, one k between and one j behind, and is met once in
//     C<U> = U U:      C(i,j) = paths i -> k -> j,    which with the edge i -> j are triangles:  total = sum C.
// In this order no vertex has more than sqrt(2 m) edges behind it, so that hubs do not multiply: the products are
// at most m sqrt(2 m), and the mask lets through the closed ones alone. (Azad, Buluc, Gilbert 2015; Wolf et al. 2017.)
// On a GPU, where dot products of rows are the faster, the total is that of D below.
// For each vertex: C counts a triangle at its first and last vertex, by rows and columns; D<U> = U U^T, where D(i,k)
// are the vertices behind both, counts it at the edge to the middle one, by columns.
#include "algorithms/degree_order.hpp"
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "ops/select_rising.hpp"

namespace nz {
namespace {

void check(const matrix& a) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "triangles: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(
        a.facts().symmetric_pattern,
        "triangles: the graph has edges in one direction only: store both first (symmetrize)");
}

class counting {
public:
    counting(const context& ctx, const matrix& a, const triangles_options& o)
        : ctx_(ctx), a_(a), o_(o), n_(a.rows()), up_(ops::select_rising(ctx, a)) {}

    triangles_result run() {
        triangles_result result{0, vector(ctx_, dtype::int64, 0), vector(ctx_, dtype::float64, 0), 0, {}};
        matrix c(ctx_, dtype::int64, n_, n_);
        const bool dots = ctx_.backend() == backend::cuda && !o_.per_vertex;
        const mxm_plan plan =
            mxm(ctx_, c, ring_, up_, up_,
                {.mask = &up_, .mask_structure = true, .transpose_b = dots, .kernel = o_.kernel});
        result.plan = to_string(plan);
        result.wedges = plan.products;
        result.total = reduce(ctx_, binary_id::plus, c).get<offset_t>();
        if (!o_.per_vertex) return result;
        matrix d(ctx_, dtype::int64, n_, n_);
        mxm(ctx_, d, ring_, up_, up_,
            {.mask = &up_, .mask_structure = true, .transpose_b = true, .kernel = o_.kernel});
        result.counts = vector::full(ctx_, n_, scalar(std::int64_t{0}));
        add_sums(result.counts, c, false);
        add_sums(result.counts, c, true);
        add_sums(result.counts, d, true);
        result.clustering = coefficients(result.counts);
        return result;
    }

private:
    vector ones() const { return vector::full(ctx_, n_, scalar(std::int64_t{1})); }
    // counts += the sums of c's rows, or of its columns.
    void add_sums(vector& counts, const matrix& c, bool columns) const {
        mxv(ctx_, counts, semiring("plus_times"), c, ones(),
            {.accum = binary_id::plus, .transpose_a = columns});
    }
    vector coefficients(const vector& counts) const {
        vector d(ctx_, dtype::float64, n_), less(ctx_, dtype::float64, n_), t(ctx_, dtype::float64, n_);
        vector others = algorithms::degrees(ctx_, a_);
        matrix loops(ctx_, a_.type(), n_, n_);
        select(ctx_, loops, index_unary_id::diag, a_, scalar(std::int64_t{0}));
        mxv(ctx_, others, semiring("plus_pair_int64"), loops, ones(), {.accum = binary_id::minus});
        apply(ctx_, d, unary_id::identity, others);
        apply(ctx_, less, binary_id::minus, d, scalar(1.0));
        ewise_mult(ctx_, d, binary_id::times, d, less);
        apply(ctx_, d, binary_id::max, d, scalar(1.0));  // where d < 2 there is no triangle to divide
        apply(ctx_, t, binary_id::times, counts, scalar(2.0));
        ewise_mult(ctx_, t, binary_id::div, t, d);
        return t;
    }

    const context& ctx_;
    const matrix& a_;
    const triangles_options& o_;
    const offset_t n_;
    const semiring ring_{binary_id::plus, binary_id::pair, dtype::int64};
    const matrix up_;
};

}  // namespace

triangles_result triangles(const context& ctx, const matrix& a, const triangles_options& options) {
    check(a);
    return counting(ctx, a, options).run();
}

}  // namespace nz
