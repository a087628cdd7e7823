// A check of closeness by a search with a queue from one source after another.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "ops/checks.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace nz {
namespace {

struct tally {
    std::vector<std::int64_t> reached, distances, farthest;
};

tally by_queues(const matrix& a, const std::set<offset_t>& sources, bool outward) {
    const storage::csr& rows = a.body().rows();
    const auto n = static_cast<std::size_t>(rows.rows);
    std::vector<std::vector<index_t>> next(n);
    for (index_t u = 0; u < rows.rows; ++u)
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
            const index_t v = rows.index_data()[k];
            next[outward ? v : u].push_back(outward ? u : v);
        }
    tally t{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n), std::vector<std::int64_t>(n)};
    for (const offset_t source : sources) {
        std::vector<std::int64_t> level(n, -1);
        std::vector<index_t> queue{static_cast<index_t>(source)};
        level[source] = 0;
        for (std::size_t at = 0; at < queue.size(); ++at) {
            const index_t u = queue[at];
            t.reached[u] += level[u] > 0;
            t.distances[u] += level[u];
            t.farthest[u] = std::max(t.farthest[u], level[u]);
            for (const index_t v : next[u])
                if (level[v] < 0) level[v] = level[u] + 1, queue.push_back(v);
        }
    }
    return t;
}

std::string compare(const char* what, const vector& found, const std::vector<std::int64_t>& right) {
    for (offset_t v = 0; v < found.size(); ++v) {
        const auto x = found.get(v);
        const auto expected = right[static_cast<std::size_t>(v)];
        if (!x || x->get<std::int64_t>() != expected)
            return fmt::format("vertex {} has {} {}, not {}", v, what, expected,
                               x ? x->get<std::int64_t>() : -1);
    }
    return {};
}

}  // namespace

std::string validate_closeness(const context&, const matrix& a, std::span<const offset_t> sources,
                               const closeness_result& found, const closeness_options& options) {
    const offset_t n = a.rows();
    require<dimension_mismatch>(a.columns() == n && found.closeness.size() == n &&
                                    found.reached.size() == n && found.distances.size() == n &&
                                    found.eccentricity.size() == n,
                                "validate_closeness: the graph is {} x {}, there are values for {} vertices",
                                n, a.columns(), found.closeness.size());
    for (const offset_t source : sources) ops::check_source(source, n);
    const std::set<offset_t> distinct(sources.begin(), sources.end());
    const tally right = by_queues(a, distinct, options.outward);
    for (const auto& complaint : {compare("sources that reach it:", found.reached, right.reached),
                                  compare("distances that sum up to", found.distances, right.distances),
                                  compare("eccentricity at least", found.eccentricity, right.farthest)})
        if (!complaint.empty()) return complaint;
    for (offset_t v = 0; v < n; ++v) {
        const auto r = static_cast<double>(right.reached[v]), t = static_cast<double>(right.distances[v]);
        const auto s = static_cast<double>(distinct.size() - distinct.count(v));
        const double expected = r == 0 ? 0 : r / s * (r / t);
        const auto x = found.closeness.get(v);
        if (!x || !(std::abs(x->get<double>() - expected) <= 1e-12))
            return fmt::format("vertex {} has closeness {}, not {}", v, expected, x ? x->get<double>() : -1);
    }
    const std::int64_t farthest = n ? *std::ranges::max_element(right.farthest) : 0;
    if (found.diameter != farthest)
        return fmt::format("the greatest distance is {}, not {}", farthest, found.diameter);
    return {};
}

}  // namespace nz
