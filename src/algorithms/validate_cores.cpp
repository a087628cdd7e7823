// A check of core numbers by the sequential algorithm of Batagelj and Zaversnik (2003): vertices in buckets by degree, the
// least taken first, one at a time.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nz {
namespace {

std::vector<std::int64_t> peel_one_by_one(const storage::csr& rows) {
    const auto n = static_cast<std::size_t>(rows.rows);
    std::vector<std::int64_t> degree(n);
    const auto each = [&](index_t u, auto&& f) {
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k)
            if (rows.index_data()[k] != u) f(rows.index_data()[k]);
    };
    for (index_t v = 0; v < rows.rows; ++v) each(v, [&](index_t) { ++degree[v]; });
    const std::int64_t most = n ? *std::ranges::max_element(degree) : 0;
    std::vector<std::vector<index_t>> buckets(static_cast<std::size_t>(most) + 1);
    for (index_t v = 0; v < rows.rows; ++v) buckets[degree[v]].push_back(v);
    std::vector<bool> done(n);
    for (std::int64_t k = 0; k <= most; ++k)
        for (std::size_t at = 0; at < buckets[k].size(); ++at) {
            const index_t v = buckets[k][at];
            if (done[v] || degree[v] != k) continue;  // moved on since
            done[v] = true;
            each(v, [&](index_t u) {
                if (!done[u] && degree[u] > k) buckets[--degree[u]].push_back(u);
            });
        }
    return degree;
}

}  // namespace

std::string validate_cores(const context&, const matrix& a, const vector& numbers) {
    require<dimension_mismatch>(a.rows() == a.columns() && numbers.size() == a.rows(),
                                "validate_cores: the graph is {} x {}, there are {} core numbers", a.rows(),
                                a.columns(), numbers.size());
    const auto right = peel_one_by_one(a.body().rows());
    for (offset_t v = 0; v < numbers.size(); ++v) {
        const auto x = numbers.get(v);
        if (!x || x->get<std::int64_t>() != right[static_cast<std::size_t>(v)])
            return fmt::format("vertex {} has core number {}, not {}", v, right[static_cast<std::size_t>(v)],
                               x ? x->get<std::int64_t>() : -1);
    }
    return {};
}

}  // namespace nz
