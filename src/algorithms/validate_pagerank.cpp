// A check of ranks that shares nothing with the iteration: one step of the equation edge by edge, in double precision.
// Since a step shrinks any difference by the damping, a small change there bounds the distance from the true ranks by
// change / (1 - damping).
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nz {
namespace {

// Roundings in a row of a step and in a sum over the vertices; far less than any tolerance that a type can serve.
double rounding_of(dtype type) { return type == dtype::float32 ? 1e-5 : 1e-10; }

std::vector<double> as_doubles(const vector& v) {
    std::vector<double> x(static_cast<std::size_t>(v.size()));
    storage::for_each_entry(v.body(), [&](index_t i, offset_t k) {
        x[i] = scalar(v.type(), storage::load(v.body().values.data(), v.type(), k)).get<double>();
    });
    return x;
}

// d A^T D^-1 r, edge by edge; `weight` of an entry's place.
template <typename W>
std::vector<double> carried_along(const storage::csr& rows, const std::vector<double>& r, double damping,
                                  W weight) {
    std::vector<double> t(r.size());
    for (index_t i = 0; i < rows.rows; ++i) {
        const offset_t begin = rows.offset(i), end = rows.offset(i + offset_t{1});
        double sum = 0;
        for (offset_t k = begin; k < end; ++k) sum += weight(k);
        for (offset_t k = begin; sum > 0 && k < end; ++k)
            t[rows.index_data()[k]] += damping * r[i] * (weight(k) / sum);
    }
    return t;
}

}  // namespace

std::string validate_pagerank(const context&, const matrix& a, const vector& ranks,
                              const pagerank_options& o) {
    const auto n = static_cast<std::size_t>(a.rows());
    require<dimension_mismatch>(a.rows() == a.columns() && ranks.size() == a.rows(),
                                "validate_pagerank: the graph is {} x {}, there are {} ranks", a.rows(),
                                a.columns(), ranks.size());
    if (ranks.count() != ranks.size())
        return fmt::format("{} of {} vertices have a rank", ranks.count(), ranks.size());
    const std::vector<double> r = as_doubles(ranks);
    double sum = 0;
    for (std::size_t v = 0; v < n; ++v) {
        if (!(r[v] >= 0) || !std::isfinite(r[v])) return fmt::format("vertex {} has rank {}", v, r[v]);
        sum += r[v];
    }
    const double rounding = rounding_of(ranks.type());
    if (n && std::abs(sum - 1) > rounding) return fmt::format("the ranks sum up to {}, not 1", sum);
    std::vector<double> p(n, 1 / static_cast<double>(n));
    if (o.personalisation) {
        p = as_doubles(*o.personalisation);
        const double greatest = std::ranges::max(p);
        double total = 0;
        for (double& x : p) total += x /= greatest;
        for (double& x : p) x /= total;
    }
    const storage::csr& rows = a.body().rows();
    const std::vector<double> t = carried_along(rows, r, o.damping, [&](offset_t k) {
        return o.weighted ? scalar(rows.type, rows.value(k)).get<double>() : 1.0;
    });
    double rest = sum, change = 0;
    for (const double x : t) rest -= x;
    for (std::size_t v = 0; v < n; ++v) change += std::abs(t[v] + rest * p[v] - r[v]);
    if (change > o.tolerance + rounding)
        return fmt::format("a step changes the ranks by {:.3g}, more than the tolerance {:.3g}", change,
                           o.tolerance);
    return {};
}

}  // namespace nz
