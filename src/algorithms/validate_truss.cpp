// A check of the k-truss edge by edge: triangles of every edge by merging lists, then one edge after another taken away, with the
// counts of the edges that shared its triangles.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nz {
namespace {

class peeled_edges {
public:
    peeled_edges(const storage::csr& rows, offset_t k)
        : rows_(rows),
          count_(static_cast<std::size_t>(rows.nnz)),
          left_(count_.size(), true),
          gone_(count_.size(), false) {
        for_each_edge([&](index_t u, index_t v, offset_t at) {
            if (u == v)
                left_[at] = false;
            else
                for_each_common(u, v, [&](offset_t, offset_t) { ++count_[at]; });
        });
        std::vector<std::pair<index_t, offset_t>> weak;
        const auto drop = [&](index_t u, offset_t at) {
            if (!left_[at] || count_[at] >= k - 2) return;
            left_[at] = left_[position(rows_.index_data()[at], u)] = false;
            weak.emplace_back(u, at);
        };
        for_each_edge([&](index_t u, index_t, offset_t at) { drop(u, at); });
        while (!weak.empty()) {
            const index_t u = weak.back().first;
            const offset_t at = weak.back().second;
            weak.pop_back();
            const index_t v = rows_.index_data()[at];
            for_each_common(u, v, [&](offset_t of_u, offset_t of_v) {
                // An edge that went before has taken the triangle along; one that waits has not.
                const index_t w = rows_.index_data()[of_u];
                if (gone_[of_u] || gone_[of_v]) return;
                for (const auto& [x, p] : {std::pair(u, of_u), std::pair(v, of_v)}) {
                    --count_[p], --count_[position(w, x)];
                    drop(x, p);
                }
            });
            gone_[at] = gone_[position(v, u)] = true;
        }
    }

    bool left(offset_t at) const { return left_[at]; }
    std::int64_t count(offset_t at) const { return count_[at]; }

private:
    template <class F>
    void for_each_edge(F&& f) const {
        for (index_t u = 0; u < rows_.rows; ++u)
            for (offset_t at = rows_.offset(u); at < rows_.offset(u + offset_t{1}); ++at)
                f(u, rows_.index_data()[at], at);
    }
    // f(position of u -> w, position of v -> w) for every w joined to both, neither of them.
    template <class F>
    void for_each_common(index_t u, index_t v, F&& f) const {
        const index_t* to = rows_.index_data();
        for (offset_t x = rows_.offset(u), y = rows_.offset(v);
             x < rows_.offset(u + offset_t{1}) && y < rows_.offset(v + offset_t{1});) {
            const index_t a = to[x], b = to[y];
            if (a == b && a != u && a != v) f(x, y);
            x += a <= b;
            y += b <= a;
        }
    }
    offset_t position(index_t u, index_t v) const {
        const index_t* to = rows_.index_data();
        return std::lower_bound(to + rows_.offset(u), to + rows_.offset(u + offset_t{1}), v) - to;
    }

    const storage::csr& rows_;
    std::vector<std::int64_t> count_;
    std::vector<bool> left_, gone_;  // gone: taken away, and its triangles with it
};

}  // namespace

std::string validate_truss(const context&, const matrix& a, offset_t k, const matrix& edges) {
    require<dimension_mismatch>(
        a.rows() == a.columns() && edges.rows() == a.rows() && edges.columns() == a.rows(),
        "validate_truss: the graph is {} x {}, the truss {} x {}", a.rows(), a.columns(), edges.rows(),
        edges.columns());
    const storage::csr &rows = a.body().rows(), &found = edges.body().rows();
    const peeled_edges right(rows, k);
    for (index_t u = 0; u < rows.rows; ++u) {
        offset_t at = found.offset(u);
        const offset_t end = found.offset(u + offset_t{1});
        for (offset_t p = rows.offset(u); p < rows.offset(u + offset_t{1}); ++p) {
            const index_t v = rows.index_data()[p];
            if (at < end && found.index_data()[at] < v) break;  // an edge that the graph does not have
            const bool has = at < end && found.index_data()[at] == v;
            if (has != right.left(p))
                return fmt::format("edge {} - {} is {} the {}-truss", u, v,
                                   right.left(p) ? "missing from" : "not in", k);
            if (!has) continue;
            const auto x = scalar(found.type, found.value(at++)).get<std::int64_t>();
            if (x != right.count(p))
                return fmt::format("edge {} - {} is in {} triangles of the truss, not {}", u, v,
                                   right.count(p), x);
        }
        if (at < end) return fmt::format("edge {} - {} is not in the graph", u, found.index_data()[at]);
    }
    return {};
}

}  // namespace nz
