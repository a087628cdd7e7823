// A check of Markov clustering without products: the same steps row by row, sums in a plain array, and the components of what
// is left by a search.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace nz {
namespace {

using row = std::vector<std::pair<index_t, double>>;

void divide_by_sum(row& flows) {
    double sum = 0;
    for (const auto& [j, x] : flows) sum += x;
    for (auto& [j, x] : flows) x /= sum;
}
double largest_of(const row& flows) {
    double most = 0;
    for (const auto& [j, x] : flows) most = std::max(most, x);
    return most;
}

std::vector<row> first_flows(const storage::csr& a) {
    std::vector<row> p(static_cast<std::size_t>(a.rows));
    for (index_t i = 0; i < a.rows; ++i) {
        for (offset_t k = a.offset(i); k < a.offset(i + offset_t{1}); ++k)
            if (a.index_data()[k] != i)
                p[i].emplace_back(a.index_data()[k], scalar(a.type, a.value(k)).get<double>());
        const double loop = p[i].empty() ? 1 : largest_of(p[i]);
        p[i].insert(std::ranges::lower_bound(p[i], std::pair(i, 0.0)), {i, loop});
        for (auto& [j, x] : p[i]) x = std::ldexp(x, -std::ilogb(loop));  // sums stay finite
        divide_by_sum(p[i]);
    }
    return p;
}

std::vector<row> step(const std::vector<row>& p, const markov_options& o) {
    std::vector<row> next(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) {
        std::map<index_t, double> sums;
        for (const auto& [k, x] : p[i])
            for (const auto& [j, y] : p[k]) sums[j] += x * y;
        next[i].assign(sums.begin(), sums.end());
        const double most = largest_of(next[i]);
        std::erase_if(next[i],
                      [&](const auto& flow) { return flow.second < o.threshold && flow.second < most; });
        for (auto& [j, x] : next[i]) x = std::pow(x / most, o.inflation);
        std::erase_if(next[i], [](const auto& flow) { return flow.second == 0; });
        divide_by_sum(next[i]);
    }
    return next;
}

double unevenness(const std::vector<row>& p) {
    double most = 0;
    for (const row& flows : p) {
        double squares = 0;
        for (const auto& [j, x] : flows) squares += x * x;
        most = std::max(most, largest_of(flows) - squares);
    }
    return most;
}

// The smallest vertex of each one's component.
std::vector<index_t> components_of(const std::vector<row>& p) {
    std::vector<std::vector<index_t>> near(p.size());
    for (std::size_t i = 0; i < p.size(); ++i)
        for (const auto& [j, x] : p[i]) near[i].push_back(j), near[j].push_back(static_cast<index_t>(i));
    std::vector<index_t> label(p.size(), -1), open;
    for (std::size_t root = 0; root < p.size(); ++root) {
        if (label[root] >= 0) continue;
        label[root] = static_cast<index_t>(root);
        for (open = {label[root]}; !open.empty();) {
            const index_t u = open.back();
            open.pop_back();
            for (const index_t v : near[u])
                if (label[v] < 0) label[v] = label[root], open.push_back(v);
        }
    }
    return label;
}

}  // namespace

std::string validate_markov_clustering(const context&, const matrix& a, const vector& labels,
                                       const markov_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns() && labels.size() == a.rows(),
                                "validate_markov_clustering: the graph is {} x {}, there are {} labels",
                                a.rows(), a.columns(), labels.size());
    std::vector<row> p = first_flows(a.body().rows());
    bool moves = a.rows() > 0;
    for (int k = 0; k < options.max_iterations && moves; ++k) {
        p = step(p, options);
        moves = unevenness(p) > options.tolerance;
    }
    const auto right = components_of(p);
    for (offset_t v = 0; v < labels.size(); ++v) {
        const auto x = labels.get(v);
        const index_t expected = right[static_cast<std::size_t>(v)];
        if (!x || x->get<std::int64_t>() != expected)
            return fmt::format("vertex {} is in the cluster of {}, not of {}", v, expected,
                               x ? x->get<std::int64_t>() : -1);
    }
    return {};
}

}  // namespace nz
