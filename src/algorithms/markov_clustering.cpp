// Markov clustering (van Dongen 2000): flows along edges are let go on and strengthened where they are strong, until each
// vertex sends all it has to the middle of its cluster.
//
// P(i,j) is the share of i's flow that goes to j, rows sum up to 1. It begins with the weights of A without loops, and as a
// loop the largest weight of each row (1 where there is none). A step is
//     expansion:  P = P P over (plus, times);
//     pruning:    entries below the threshold go, but not the largest of a row;
//     inflation:  P(i,j) = P(i,j)^r / sum of row i of these.
// It ends when rows are even: their largest entry is the sum of their squares, as for a single 1, and so another step changes
// nothing. Clusters are the components of what is left.
// Nearly all of the cost is the SpGEMM: products as many as pairs of flows in a row. Pruning keeps rows short, at most
// 1 / threshold entries; the first expansion, before it, forms A A, which hubs make large.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

#include <cmath>

namespace nz {
namespace {

class flows {
public:
    flows(const context& ctx, const matrix& a, const markov_options& o)
        : ctx_(ctx), o_(o), n_(a.rows()), p_(ctx, dtype::float64, n_, n_) {
        select(ctx_, p_, index_unary_id::offdiag, a, scalar(std::int64_t{0}));
        vector loops = vector::full(ctx_, n_, scalar(1.0));
        reduce(ctx_, loops, binary_id::max, p_, {.accum = binary_id::second});
        ewise_add(ctx_, p_, binary_id::plus, p_, diag(ctx_, loops));
        // By a power of two a row, exactly, so that no sum of weights overflows.
        const auto scaled = index_unary_op::make<double, double>(
            "scaled", [x = loops.values<double>()](double weight, offset_t i, offset_t, double) {
                return std::ldexp(weight, -std::ilogb(x[static_cast<std::size_t>(i)]));
            });
        apply(ctx_, p_, scaled, p_, scalar(0.0));
        divide_by_sums();
    }

    void step(markov_result& r) {
        matrix squared(ctx_, dtype::float64, n_, n_), kept(ctx_, dtype::float64, n_, n_);
        const mxm_plan plan = mxm(ctx_, squared, semiring("plus_times"), p_, p_, {.kernel = o_.kernel});
        r.plan = to_string(plan);
        r.products += plan.products;
        const vector most = of_rows(binary_id::max, squared);
        const auto keep = index_unary_op::make<bool, double>(
            "flows_on",
            [x = most.values<double>(), least = o_.threshold](double flow, offset_t i, offset_t, double) {
                return flow >= least || flow >= x[static_cast<std::size_t>(i)];
            });
        select(ctx_, kept, keep, squared, scalar(0.0));
        // As shares of the row's greatest, whose power is 1 whatever the inflation; flows that vanish by it are left out.
        const auto power = index_unary_op::make<double, double>(
            "inflated",
            [by = o_.inflation, x = most.values<double>()](double flow, offset_t i, offset_t, double) {
                return std::pow(flow / x[static_cast<std::size_t>(i)], by);
            });
        apply(ctx_, squared, power, kept, scalar(0.0));
        select(ctx_, p_, index_unary_id::valuene, squared, scalar(0.0));
        divide_by_sums();
    }
    double unevenness() const {
        matrix squares(ctx_, dtype::float64, n_, n_);
        ewise_mult(ctx_, squares, binary_id::times, p_, p_);
        vector difference(ctx_, dtype::float64, n_);
        ewise_add(ctx_, difference, binary_id::minus, of_rows(binary_id::max, p_),
                  of_rows(binary_id::plus, squares));
        return reduce(ctx_, binary_id::max, difference).get<double>();
    }
    const matrix& left() const { return p_; }

private:
    // The sum of each row; none is empty.
    vector of_rows(const monoid& add, const matrix& a) const {
        vector w(ctx_, dtype::float64, n_);
        reduce(ctx_, w, add, a);
        w.convert_to(vector_form::dense);
        return w;
    }
    void divide_by_sums() {
        const vector sums = of_rows(binary_id::plus, p_);
        const auto share = index_unary_op::make<double, double>(
            "share", [x = sums.values<double>()](double flow, offset_t i, offset_t, double) {
                return flow / x[static_cast<std::size_t>(i)];
            });
        apply(ctx_, p_, share, p_, scalar(0.0));
    }

    const context& ctx_;
    const markov_options& o_;
    const offset_t n_;
    matrix p_;
};

void check(const context& ctx, const matrix& a, const markov_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "markov_clustering: the matrix is {} x {}; a graph needs a square one",
                                a.rows(), a.columns());
    require<domain_error>(
        a.facts().symmetric_pattern,
        "markov_clustering: the graph has edges in one direction only: store both first (symmetrize)");
    require<domain_error>(o.inflation > 1 && std::isfinite(o.inflation),
                          "markov_clustering: inflation is {}: choose a finite number above 1", o.inflation);
    require<domain_error>(o.threshold >= 0 && o.threshold < 1,
                          "markov_clustering: the threshold is {}: choose one from 0 to below 1",
                          o.threshold);
    require<domain_error>(o.max_iterations >= 0, "markov_clustering: {} steps cannot be taken",
                          o.max_iterations);
    require<domain_error>(o.tolerance >= 0, "markov_clustering: a tolerance of {} is not one", o.tolerance);
    matrix weights(ctx, dtype::float64, a.rows(), a.columns()),
        wrong(ctx, dtype::float64, a.rows(), a.columns());
    apply(ctx, weights, unary_id::identity, a);
    const auto not_positive = index_unary_op::make<bool, double>(
        "not_positive",
        [](double x, offset_t i, offset_t j, double) { return i != j && !(x > 0 && std::isfinite(x)); });
    select(ctx, wrong, not_positive, weights, scalar(0.0));
    require<domain_error>(wrong.nnz() == 0, "markov_clustering: {} weights are not positive and finite",
                          wrong.nnz());
}

}  // namespace

markov_result markov_clustering(const context& ctx, const matrix& a, const markov_options& options) {
    check(ctx, a, options);
    markov_result r{vector(ctx, dtype::int32, 0), 0, 0, 0, a.rows() == 0, 0, {}};
    flows p(ctx, a, options);
    for (; a.rows() > 0 && r.iterations < options.max_iterations && !r.converged; ++r.iterations) {
        p.step(r);
        r.unevenness = p.unevenness();
        r.converged = r.unevenness <= options.tolerance;
    }
    components_result clusters = components(ctx, p.left());
    r.labels = std::move(clusters.labels);
    r.count = clusters.count;
    return r;
}

}  // namespace nz
