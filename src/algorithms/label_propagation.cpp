// Community detection by label propagation (Raghavan, Albert, Kumara 2007), synchronous and with ties to the smallest label
// as LDBC Graphalytics has it: a most frequent label among neighbours, as a product.
//
// L holds one entry a vertex: L(u, label of u) = -2^31. A step is
//     C = A L + A^T L over (plus, second):    C(v, x) = -2^31 times the neighbours of v with label x
//     best = C (0, 1, 2, ...) over (min, plus):    the least of C(v, x) + x
// whose low 31 bits are the label: the most neighbours, and of those the least x. Rows of L have one entry, so the product is
// one number an edge, summed in a table a row; C has at most as many entries as A, and stays where it was computed. Where the
// pattern is symmetric C = A L says the same: every count would double. A step that changes nothing ends it: so would all
// that follow. On a GPU labels go there and back in every step: 24 bytes a vertex.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <numeric>

namespace nz {
namespace {

constexpr std::int64_t label_mask = (std::int64_t{1} << 31) - 1;

class propagation {
public:
    propagation(const context& ctx, const matrix& a)
        : ctx_(ctx),
          a_(a),
          symmetric_(a.facts().symmetric_pattern),
          n_(static_cast<index_t>(a.rows())),
          labels_(ctx, static_cast<std::size_t>(n_)),
          rows_(ctx, labels_.size() + 1),
          weights_(ctx, labels_.size()),
          numbers_(ctx, dtype::int64, n_) {
        std::iota(labels_.begin(), labels_.end(), 0);
        std::iota(rows_.begin(), rows_.end(), offset_t{0});
        weights_.fill(-(label_mask + 1));
        apply(ctx, numbers_, index_unary_id::rowindex, vector::full(ctx, n_, scalar(std::int64_t{0})),
              scalar(std::int64_t{0}));
    }

    // Whether a label changed.
    bool step(std::string& plan) {
        const matrix by_label = matrix::from_csr<std::int64_t, offset_t>(
            ctx_, {n_, n_, {rows_.data(), rows_.size()}, labels(), {weights_.data(), weights_.size()}});
        matrix c(ctx_, dtype::int64, n_, n_);
        plan = to_string(mxm(ctx_, c, sums_, a_, by_label));
        if (!symmetric_) mxm(ctx_, c, sums_, a_, by_label, {.accum = binary_id::plus, .transpose_a = true});
        vector best(ctx_, dtype::int64, n_);
        mxv(ctx_, best, least_, c, numbers_);
        const storage::vector_body& entries = best.body();
        const auto* const values = entries.values.as<std::int64_t>();
        bool changed = false;
        storage::for_each_entry(entries, [&](index_t v, offset_t k) {
            const auto label = static_cast<index_t>(values[k] & label_mask);
            index_t& own = labels_[static_cast<std::size_t>(v)];
            changed = changed || own != label;
            own = label;
        });
        return changed;
    }
    std::span<index_t> labels() const { return {labels_.data(), labels_.size()}; }

private:
    const context& ctx_;
    const matrix& a_;
    const bool symmetric_;
    const index_t n_;
    const array<index_t> labels_;
    const array<offset_t> rows_;
    const array<std::int64_t> weights_;
    vector numbers_;  ///< the labels that columns stand for
    const semiring sums_{binary_id::plus, binary_id::second, dtype::int64},
        least_{binary_id::min, binary_id::plus, dtype::int64};
};

}  // namespace

propagation_result label_propagation(const context& ctx, const matrix& a,
                                     const propagation_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "label_propagation: the matrix is {} x {}; a graph needs a square one",
                                a.rows(), a.columns());
    require<domain_error>(options.max_iterations >= 0, "label_propagation: {} steps cannot be taken",
                          options.max_iterations);
    propagation_result r{vector(ctx, dtype::int32, 0), 0, 0, false, {}};
    propagation steps(ctx, a);
    while (r.iterations < options.max_iterations && !r.converged) {
        r.converged = !steps.step(r.plan);
        ++r.iterations;
    }
    const std::span<index_t> used = steps.labels();
    r.labels = vector::dense<std::int32_t>(ctx, used);
    std::ranges::sort(used);
    r.count = std::unique(used.begin(), used.end()) - used.begin();
    return r;
}

}  // namespace nz
