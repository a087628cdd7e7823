// A check of label propagation without products: every step vertex by vertex, the labels of all neighbours sorted.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace nz {
namespace {

// The neighbours of each vertex, once for every edge that it is an end of; of a symmetric graph those of one direction.
std::vector<std::vector<index_t>> neighbours(const matrix& a) {
    const storage::csr& rows = a.body().rows();
    std::vector<std::vector<index_t>> out(static_cast<std::size_t>(rows.rows)), in(out.size());
    for (index_t u = 0; u < rows.rows; ++u)
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
            out[u].push_back(rows.index_data()[k]);
            in[rows.index_data()[k]].push_back(u);
        }
    if (in == out) return out;  // both ascend
    for (std::size_t v = 0; v < out.size(); ++v) out[v].insert(out[v].end(), in[v].begin(), in[v].end());
    return out;
}

// The smallest of the most frequent; `labels` is sorted and not empty.
index_t most_frequent(const std::vector<index_t>& labels) {
    index_t best = labels[0];
    std::ptrdiff_t most = 0;
    for (auto at = labels.begin(); at != labels.end();) {
        const auto end = std::upper_bound(at, labels.end(), *at);
        if (end - at > most) most = end - at, best = *at;
        at = end;
    }
    return best;
}

}  // namespace

std::string validate_label_propagation(const context&, const matrix& a, const vector& labels,
                                       const propagation_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns() && labels.size() == a.rows(),
                                "validate_label_propagation: the graph is {} x {}, there are {} labels",
                                a.rows(), a.columns(), labels.size());
    const auto near = neighbours(a);
    std::vector<index_t> now(near.size()), seen;
    std::iota(now.begin(), now.end(), 0);
    bool changed = true;
    for (int step = 0; step < options.max_iterations && changed; ++step) {
        std::vector<index_t> next = now;
        for (std::size_t v = 0; v < near.size(); ++v) {
            if (near[v].empty()) continue;
            seen.clear();
            for (const index_t u : near[v]) seen.push_back(now[u]);
            std::ranges::sort(seen);
            next[v] = most_frequent(seen);
        }
        changed = next != now;
        now = std::move(next);
    }
    for (offset_t v = 0; v < labels.size(); ++v) {
        const auto x = labels.get(v);
        const index_t right = now[static_cast<std::size_t>(v)];
        if (!x || x->get<std::int64_t>() != right)
            return fmt::format("vertex {} has label {}, not {}", v, x ? x->get<std::int64_t>() : -1, right);
    }
    return {};
}

}  // namespace nz
