// PageRank by power iteration (Brin and Page, 1998), pulling along in-edges.
//
// With D the out-degrees, d the damping and p where a surfer starts anew, one step is
//     t  = A^T y            over (plus, second): the structure alone is read
//     r' = t + (1 - sum t) p
//     y' = d D^-1 r'        0 where a vertex has no edge out
// a product and one operation on vectors. The products of an iteration with r would divide nnz times; y holds rank over
// degree, prescaled, n times. What edges do not carry, the damped part and the ranks of vertices without edges out alike, is
// 1 - sum t: no list of those vertices, and ranks sum up to 1 after every step but for that step's own rounding. sum t is
// d times what vertices with edges out hold, which the step before has summed beside its other sums.
//
// With weights, D holds the sums of A's rows and the product is one over (plus, times).
//
// The adaptive form (Kamvar, Haveliwala, Golub 2004; a case for masks in yang2018) leaves out rows whose rank has
// settled to its share of the tolerance: their t stays. Together they would have changed by at most the tolerance in
// that step, but more may come over many: before it stops, all rows are computed once more, and where some still move all go on to
// the end. It begins once all together change by a hundred tolerances in a step: left out earlier, and again and again, rows on rings
// and near a personalisation's start took many times the steps. Steps to 1e-6, and products in those of all rows, without leaving out
// and with: rmat:15,16 16 and 18, 13.9; from one vertex 28 and 32, 19.1; random:20000,5 from one vertex 19 and 20, 19.5 (131, 40.6
// before); powerlaw:20000 52 and 55, 46.8. Every iteration therefore begins at 1/n: ranks that are 0 until a far start reaches them look settled.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "ops/pagerank_step.hpp"
#include "ops/vectors_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nz {
namespace {

constexpr double near_the_end =
    100;  // tolerances: 10 took 1.0 to 1.1 times the products, 1,000 as many and more steps

void check(const matrix& a, const pagerank_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "pagerank: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    require<domain_error>(o.damping >= 0 && o.damping < 1, "pagerank: a damping of {} is not in [0, 1)",
                          o.damping);
    require<domain_error>(o.tolerance >= 0, "pagerank: a tolerance of {} is not one", o.tolerance);
    require<domain_error>(o.max_iterations >= 0, "pagerank: {} iterations are fewer than none",
                          o.max_iterations);
    require<domain_error>(is_floating(o.type), "pagerank: ranks are float32 or float64, not {}",
                          name_of(o.type));
    if (!o.personalisation) return;
    require<dimension_mismatch>(o.personalisation->size() == a.rows(),
                                "pagerank: the graph has {} vertices, the personalisation {} places",
                                a.rows(), o.personalisation->size());
}

class iteration {
public:
    iteration(const context& ctx, const matrix& a, const pagerank_options& o)
        : ctx_(ctx),
          a_(a),
          o_(o),
          n_(a.rows()),
          ring_(binary_id::plus, o.weighted ? binary_id::times : binary_id::second, o.type),
          plan_(ops::plan_pagerank(ctx, a, o.adaptive, o.weighted, o.kernel)),
          converts_(o.weighted && a.values_held() == value_kind::full && a.type() != o.type),
          weights_(converts_ ? weights() : matrix(ctx, o.type, 0, 0)),
          start_(start()),
          scale_(scale()),
          carried_(ops::full(ctx, n_, value(0))),
          ranks_(ops::full(ctx, n_, value(1 / static_cast<double>(n_)))),
          scaled_(ctx, o.type, n_),
          moved_(ops::full(ctx, o.adaptive ? n_ : 0, value(0))),
          active_(ctx, dtype::boolean, n_) {
        ewise_mult(ctx, scaled_, binary_id::times, ranks_, scale_);
    }

    pagerank_result run() {
        pagerank_result result{.ranks = vector(ctx_, o_.type, n_), .steps = {}, .plan = {}};
        bool all = true;
        while (result.iterations < o_.max_iterations && !result.converged) {
            const bool was_all = all;
            const offset_t active = all ? n_ : count_active();
            const int most = std::min(steps_together(result), o_.max_iterations - result.iterations);
            for (const double moved : steps(all, most, result.plan)) {
                result.change = moved;
                result.steps.push_back({moved, active});
                ++result.iterations;
            }
            const bool small = result.change <= o_.tolerance;
            result.converged = small && was_all;
            if (!o_.adaptive) continue;
            const bool settles = !has_left_out_ && result.change <= near_the_end * o_.tolerance;
            all = small || (was_all && !settles) || !choose_active(was_all);
            has_left_out_ = has_left_out_ || !all;
        }
        result.ranks = std::move(ranks_);
        return result;
    }

private:
    scalar value(double x) const { return scalar(o_.type, scalar(x).as(o_.type)); }

    // A^T in the type of ranks: else its values would be converted in each step.
    matrix weights() const {
        matrix w(ctx_, o_.type, n_, n_);
        apply(ctx_, w, unary_id::identity, transposed(ctx_, a_));
        return w;
    }

    // The personalisation, its sum 1 and absent places 0; of size 0 where there is none.
    vector start() const {
        if (!o_.personalisation) return vector(ctx_, o_.type, 0);
        require<domain_error>(o_.personalisation->count() > 0, "pagerank: the personalisation has no entry");
        vector weights(ctx_, dtype::float64, n_), p(ctx_, o_.type, n_);
        apply(ctx_, weights, unary_id::identity, *o_.personalisation);
        const double greatest = reduce(ctx_, binary_id::max, weights).get<double>(),
                     least = reduce(ctx_, binary_id::min, weights).get<double>();
        double total = reduce(ctx_, binary_id::plus, weights).get<double>();
        require<domain_error>(greatest > 0 && std::isfinite(greatest) && least >= 0,
                              "pagerank: the personalisation's entries run from {} to {}: weights "
                              "are finite and not negative, and one is positive",
                              least, greatest);
        require<domain_error>(!std::isnan(total),
                              "pagerank: an entry of the personalisation is not a number");
        if (!std::isnormal(total)) {  // too much for a double, or too little
            apply(ctx_, weights, binary_id::div, weights, scalar(greatest));
            total = reduce(ctx_, binary_id::plus, weights).get<double>();
        }
        apply(ctx_, weights, binary_id::div, weights, scalar(total));
        apply(ctx_, p, unary_id::identity, weights);
        ewise_add(ctx_, p, binary_id::plus, p, vector::full(ctx_, n_, value(0)));
        return p;
    }

    vector degrees() const {
        vector d(ctx_, dtype::int64, n_);
        mxv(ctx_, d, semiring("plus_pair_int64"), a_, ops::full(ctx_, n_, scalar(std::int64_t{1})));
        return d;
    }

    // What the weights of each row sum up to, where that is not 0.
    vector strengths() const {
        vector sums(ctx_, dtype::float64, n_), d(ctx_, dtype::float64, n_);
        if (a_.nnz() == 0) return d;
        const double least_weight = reduce(ctx_, binary_id::min, a_).get<double>(),
                     greatest_weight = reduce(ctx_, binary_id::max, a_).get<double>();
        mxv(ctx_, sums, semiring("plus_times_fp64"), a_, ops::full(ctx_, n_, scalar(1.0)));
        const double total = reduce(ctx_, binary_id::plus, sums).get<double>();
        require<domain_error>(
            least_weight >= 0 && std::isfinite(greatest_weight) && !std::isnan(total),
            "pagerank: a weight is {}; weights are finite and not negative",
            least_weight < 0 ? fmt::format("{:g}", least_weight) : std::string("infinite or not a number"));
        select(ctx_, d, index_unary_id::valuene, sums, scalar(0.0));
        if (d.count() == 0) return d;
        // A rank over its row's sum has to be a number of the ranks' type, whatever part of 1 it is.
        const double most = o_.type == dtype::float32 ? 1e27 : 1e290;
        const double greatest = reduce(ctx_, binary_id::max, d).get<double>(),
                     least = reduce(ctx_, binary_id::min, d).get<double>();
        require<domain_error>(least >= 1 / most && greatest <= most,
                              "pagerank: weights of rows sum up to {:g} to {:g}; ranks of {} need sums from "
                              "{:g} to {:g}",
                              least, greatest, name_of(o_.type), 1 / most, most);
        return d;
    }

    // damping / out-degree, 0 where there is no edge out.
    vector scale() {
        vector s(ctx_, o_.type, n_);
        apply(ctx_, s, unary_id::identity, o_.weighted ? strengths() : degrees());
        apply(ctx_, s, binary_id::div, value(o_.damping), s);
        carried_sum_ =
            o_.damping * static_cast<double>(s.count()) * value(1 / static_cast<double>(n_)).get<double>();
        if (s.count() < n_) ewise_add(ctx_, s, binary_id::first, s, ops::full(ctx_, n_, value(0)));
        return s;
    }

    // So many as are left if the change goes on to shrink as it did last; each wait for the host costs a part of a step.
    int steps_together(const pagerank_result& result) const {
        constexpr double first = 8, most = 32;
        if (result.iterations < 2) return static_cast<int>(first);
        const double last = result.change,
                     before = result.steps[static_cast<std::size_t>(result.iterations) - 2].change,
                     left = std::log(o_.tolerance / last) / std::log(last / before);
        return static_cast<int>(std::ceil(left > 0 ? std::min(left, most) : first));
    }

    // One step, or up to `most` of all rows where a kernel does whole ones. What they changed.
    std::vector<double> steps(bool all, int most, std::string& plan) {
        const ops::pagerank_vectors v{.damping = o_.damping,
                                      .carried = carried_,
                                      .start = start_.size() ? &start_ : nullptr,
                                      .scale = scale_,
                                      .ranks = ranks_,
                                      .scaled = scaled_,
                                      .moved = o_.adaptive ? &moved_ : nullptr};
        plan = std::string(plan_.kernel) + ": " + std::string(plan_.reason);
        if (plan_.kernel == "short_rows") {
            auto done = ops::pagerank_short_rows(ctx_, a_, v, carried_sum_, o_.tolerance, most);
            carried_sum_ = done.carried;
            return std::move(done.moved);
        }
        // Rows without edges stay 0.
        vector_options through{.accum = binary_id::second, .transpose_a = !converts_};
        if (!all) through.mask = &active_;
        plan += "; " + to_string(mxv(ctx_, carried_, ring_, converts_ ? weights_ : a_, scaled_, through));
        // Steps of some rows sum t; were those of all rows to go by what it should be, two fixed points would differ by roundings.
        const bool known = all && !o_.adaptive;
        const auto done = ops::pagerank_step(ctx_, v, known ? std::optional(carried_sum_) : std::nullopt);
        carried_sum_ = done.carried;
        return {done.moved};
    }

    // Rows whose rank moved by more than their share of the tolerance stay active; none comes back. False without any.
    bool choose_active(bool was_all) {
        vector moves(ctx_, dtype::boolean, n_);
        apply(ctx_, moves, binary_id::gt, moved_, value(o_.tolerance / static_cast<double>(n_)));
        if (was_all)
            active_ = std::move(moves);
        else
            ewise_mult(ctx_, active_, binary_id::land, active_, moves);
        return count_active() > 0;
    }
    offset_t count_active() const {
        vector ones(ctx_, dtype::int64, n_);
        apply(ctx_, ones, unary_id::identity, active_);
        return reduce(ctx_, binary_id::plus, ones).get<offset_t>();
    }

    const context& ctx_;
    const matrix& a_;
    const pagerank_options& o_;
    const offset_t n_;
    const semiring ring_;
    const plan::pagerank_plan plan_;
    double carried_sum_ = 0;  // of the next step's t, where no row is left out
    const bool converts_;     // values that products read are not of the ranks' type
    const matrix weights_;
    const vector start_, scale_;
    vector carried_, ranks_, scaled_;
    vector moved_;  // how far each rank went in the last step; of size 0 unless rows are left out
    vector active_;
    bool has_left_out_ = false;
};

}  // namespace

pagerank_result pagerank(const context& ctx, const matrix& a, const pagerank_options& options) {
    check(a, options);
    if (a.rows() == 0)
        return {.ranks = vector::full(ctx, 0, scalar(options.type, element{})),
                .converged = true,
                .steps = {},
                .plan = {}};
    return iteration(ctx, a, options).run();
}

}  // namespace nz
