// A check of triangles in another order and without products: for every edge i < j, the common neighbours k > j by a merge
// of two ascending lists.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nz {
namespace {

struct tally {
    std::vector<std::int64_t> of_vertex, degree;
    std::int64_t total = 0;
};

tally count_by_edges(const storage::csr& rows) {
    const auto n = static_cast<std::size_t>(rows.rows);
    tally t{std::vector<std::int64_t>(n), std::vector<std::int64_t>(n)};
    const index_t* at = rows.index_data();
    for (index_t i = 0; i < rows.rows; ++i)
        for (offset_t p = rows.offset(i); p < rows.offset(i + offset_t{1}); ++p) {
            const index_t j = at[p];
            t.degree[i] += i != j;
            if (j <= i) continue;
            const index_t *x = at + p + 1, *x_end = at + rows.offset(i + offset_t{1}),
                          *y_end = at + rows.offset(j + offset_t{1}),
                          *y = std::upper_bound(at + rows.offset(j), y_end, j);
            while (x != x_end && y != y_end) {
                if (*x == *y) {
                    ++t.total;
                    ++t.of_vertex[i], ++t.of_vertex[j], ++t.of_vertex[*x];
                }
                const index_t u = *x, v = *y;
                x += u <= v;
                y += v <= u;
            }
        }
    return t;
}

}  // namespace

std::string validate_triangles(const context&, const matrix& a, const triangles_result& found) {
    const offset_t n = a.rows();
    require<dimension_mismatch>(
        a.rows() == a.columns() && (found.counts.size() == 0 || found.counts.size() == n) &&
            (found.clustering.size() == 0 || found.clustering.size() == n),
        "validate_triangles: the graph is {} x {}, there are {} counts and {} coefficients", a.rows(),
        a.columns(), found.counts.size(), found.clustering.size());
    const tally right = count_by_edges(a.body().rows());
    if (found.total != right.total)
        return fmt::format("there are {} triangles, not {}", right.total, found.total);
    for (offset_t v = 0; v < found.counts.size(); ++v) {
        const auto expected = right.of_vertex[static_cast<std::size_t>(v)];
        const auto x = found.counts.get(v);
        if (!x || x->get<std::int64_t>() != expected)
            return fmt::format("vertex {} is in {} triangles, not {}", v, expected,
                               x ? x->get<std::int64_t>() : 0);
    }
    for (offset_t v = 0; v < found.clustering.size(); ++v) {
        const auto d = static_cast<double>(right.degree[static_cast<std::size_t>(v)]),
                   t = static_cast<double>(right.of_vertex[static_cast<std::size_t>(v)]);
        const double expected = d < 2 ? 0 : 2 * t / (d * (d - 1));
        const auto x = found.clustering.get(v);
        if (!x || !(std::abs(x->get<double>() - expected) <= 1e-12))
            return fmt::format("vertex {} has clustering coefficient {}, not {}", v, expected,
                               x ? x->get<double>() : 0);
    }
    return {};
}

}  // namespace nz
