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

#include <algorithm>
#include <numeric>
#include <vector>

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
          weights_(static_cast<std::size_t>(n_), -(label_mask + 1)),
          numbers_(ctx, dtype::int64, n_) {
        labels_.resize(static_cast<std::size_t>(n_));
        std::iota(labels_.begin(), labels_.end(), 0);
        rows_.resize(labels_.size() + 1);
        std::iota(rows_.begin(), rows_.end(), offset_t{0});
        std::vector<std::int64_t> numbers(labels_.begin(), labels_.end());
        numbers_ = vector::dense<std::int64_t>(ctx, numbers);
    }

    // Whether a label changed.
    bool step(std::string& plan) {
        const matrix by_label =
            matrix::from_csr<std::int64_t, offset_t>(ctx_, {n_, n_, rows_, labels_, weights_});
        matrix c(ctx_, dtype::int64, n_, n_);
        plan = to_string(mxm(ctx_, c, sums_, a_, by_label));
        if (!symmetric_) mxm(ctx_, c, sums_, a_, by_label, {.accum = binary_id::plus, .transpose_a = true});
        vector best(ctx_, dtype::int64, n_);
        mxv(ctx_, best, least_, c, numbers_);
        std::vector<index_t> at;
        std::vector<std::int64_t> value;
        best.extract_tuples(at, value);
        bool changed = false;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const auto label = static_cast<index_t>(value[k] & label_mask);
            changed = changed || labels_[at[k]] != label;
            labels_[at[k]] = label;
        }
        return changed;
    }
    const std::vector<index_t>& labels() const { return labels_; }

private:
    const context& ctx_;
    const matrix& a_;
    const bool symmetric_;
    const index_t n_;
    std::vector<index_t> labels_;
    std::vector<offset_t> rows_;
    std::vector<std::int64_t> weights_;
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
    std::vector<index_t> used = steps.labels();
    r.labels = vector::dense<std::int32_t>(ctx, used);
    std::ranges::sort(used);
    r.count = std::unique(used.begin(), used.end()) - used.begin();
    return r;
}

}  // namespace nz
