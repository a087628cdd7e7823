// A check of centralities by the textbook: Brandes's algorithm with a queue, one source after another, one thread. Paths are
// counted in long doubles, whose range large grids need.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "ops/checks.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace nz {
namespace {

struct brandes {
    const storage::csr& rows;
    std::vector<double> total;
    std::vector<long double> paths, handed;
    std::vector<index_t> depth, order;

    explicit brandes(const storage::csr& a)
        : rows(a),
          total(static_cast<std::size_t>(a.rows)),
          paths(total.size()),
          handed(total.size()),
          depth(total.size()) {}

    template <class F>
    void each_edge(index_t u, F&& f) const {
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) f(rows.index_data()[k]);
    }

    void from(index_t source) {
        std::ranges::fill(depth, -1);
        std::ranges::fill(paths, 0.0L);
        std::ranges::fill(handed, 0.0L);
        order.assign(1, source);
        depth[source] = 0;
        paths[source] = 1;
        for (std::size_t q = 0; q < order.size(); ++q) {
            const index_t u = order[q];
            each_edge(u, [&](index_t v) {
                if (depth[v] < 0) depth[v] = depth[u] + 1, order.push_back(v);
                if (depth[v] == depth[u] + 1) paths[v] += paths[u];
            });
        }
        for (std::size_t q = order.size(); q-- > 1;) {
            const index_t u = order[q];
            each_edge(u, [&](index_t v) {
                if (depth[v] == depth[u] + 1) handed[u] += paths[u] / paths[v] * (1 + handed[v]);
            });
            total[u] += static_cast<double>(handed[u]);
        }
    }
};

}  // namespace

std::string validate_betweenness(const context&, const matrix& a, std::span<const offset_t> sources,
                                 const vector& centrality) {
    constexpr double tolerance = 1e-6;
    require<dimension_mismatch>(a.rows() == a.columns() && centrality.size() == a.rows(),
                                "validate_betweenness: the graph is {} x {}, there are {} centralities",
                                a.rows(), a.columns(), centrality.size());
    for (const offset_t source : sources) ops::check_source(source, a.rows());
    brandes right(a.body().rows());
    for (const offset_t source : sources) right.from(static_cast<index_t>(source));
    for (offset_t v = 0; v < centrality.size(); ++v) {
        const double expected = right.total[static_cast<std::size_t>(v)];
        const auto x = centrality.get(v);
        if (!x || !(std::abs(x->get<double>() - expected) <= tolerance * std::max(1.0, expected)))
            return fmt::format("vertex {} has centrality {}, not {}", v, expected, x ? x->get<double>() : 0);
    }
    return {};
}

}  // namespace nz
