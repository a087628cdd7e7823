// Community detection by label propagation (Raghavan, Albert, Kumara 2007), synchronous and with ties to the smallest label
// as LDBC Graphalytics has it: a most frequent label among neighbours, as a product.
//
// L holds one entry a vertex: L(u, label of u). A step is
//     C = A L + A^T L over (plus, pair):     C(v, x) = neighbours of v with label x
//     label of v = the least x of the largest C(v, x),
// a maximum over each row of C, whose entries carry count and label in one number: count in the high bits, and below them
// a label that is the higher the smaller it is. Rows of L have one entry, so the product is one pair an edge, summed in a table
// a row; C has at most as many entries as A. Where the pattern is symmetric C = A L says the same: every count would double.
// A step that changes nothing ends it: so would all that follow.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace nz {
namespace {

constexpr int label_bits = 31;
constexpr std::int64_t label_mask = (std::int64_t{1} << label_bits) - 1;

class propagation {
public:
    propagation(const context& ctx, const matrix& a)
        : ctx_(ctx), a_(a), symmetric_(a.facts().symmetric_pattern), n_(static_cast<index_t>(a.rows())) {
        labels_.resize(static_cast<std::size_t>(n_));
        std::iota(labels_.begin(), labels_.end(), 0);
        rows_.resize(labels_.size() + 1);
        std::iota(rows_.begin(), rows_.end(), offset_t{0});
    }

    // Whether a label changed.
    bool step(std::string& plan) {
        const matrix by_label = matrix::from_csr<bool, offset_t>(ctx_, {n_, n_, rows_, labels_, {}});
        matrix c(ctx_, dtype::int64, n_, n_);
        plan = to_string(mxm(ctx_, c, ring_, a_, by_label));
        if (!symmetric_) mxm(ctx_, c, ring_, a_, by_label, {.accum = binary_id::plus, .transpose_a = true});
        vector best(ctx_, dtype::int64, n_);
        apply(ctx_, c, count_and_label_, c, scalar(std::int64_t{0}));
        reduce(ctx_, best, binary_id::max, c);
        std::vector<index_t> at;
        std::vector<std::int64_t> value;
        best.extract_tuples(at, value);
        bool changed = false;
        for (std::size_t k = 0; k < at.size(); ++k) {
            const auto label = static_cast<index_t>(label_mask - (value[k] & label_mask));
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
    const semiring ring_{binary_id::plus, binary_id::pair, dtype::int64};
    const index_unary_op count_and_label_ = index_unary_op::make<std::int64_t, std::int64_t>(
        "count_and_label", [](std::int64_t count, offset_t, offset_t label, std::int64_t) {
            return count << label_bits | (label_mask - label);
        });
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
