// Graph500's five checks of a breadth-first search, for directed and undirected graphs.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "ops/checks.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz {
namespace {

struct tree {
    const std::int32_t* level;
    const std::int32_t* parent;
    index_t n, source;
};

// 1: the parents form a tree rooted at the source, without cycles: levels fall by one along parents, so a
// walk up ends after level(v) steps. 2: tree edges join adjacent levels.
std::string check_tree(const tree& t) {
    if (t.level[t.source] != 0 || t.parent[t.source] != t.source)
        return fmt::format("source {} has level {} and parent {}, not 0 and itself", t.source,
                           t.level[t.source], t.parent[t.source]);
    for (index_t v = 0; v < t.n; ++v) {
        if ((t.level[v] < 0) != (t.parent[v] < 0))
            return fmt::format("vertex {} has level {} but parent {}", v, t.level[v], t.parent[v]);
        if (t.level[v] < 0 || v == t.source) continue;
        const index_t p = t.parent[v];
        if (p >= t.n) return fmt::format("vertex {} has parent {}, which is not a vertex", v, p);
        if (t.level[v] == 0) return fmt::format("vertex {} has level 0 but is not the source", v);
        if (t.level[p] != t.level[v] - 1)
            return fmt::format("vertex {} on level {} has parent {} on level {}", v, t.level[v], p,
                               t.level[p]);
    }
    return {};
}

// 3: every edge u -> v leads at most one level down, 4: and never from a reached vertex to one not reached,
// so the tree spans all that can be reached.
std::string check_edges(const tree& t, const storage::csr& a) {
    return storage::with_offsets(a, [&](const auto* offsets) -> std::string {
        for (index_t u = 0; u < t.n; ++u) {
            if (t.level[u] < 0) continue;
            for (auto k = offsets[u]; k < offsets[u + 1]; ++k) {
                const index_t v = a.index_data()[k];
                if (t.level[v] < 0)
                    return fmt::format("edge {} -> {} leaves the tree: {} was not reached", u, v, v);
                if (t.level[v] > t.level[u] + 1)
                    return fmt::format("edge {} -> {} goes from level {} to level {}", u, v, t.level[u],
                                       t.level[v]);
            }
        }
        return {};
    });
}

// 5: parents are joined to their children by edges.
std::string check_parents(const tree& t, const storage::csr& a) {
    for (index_t v = 0; v < t.n; ++v) {
        if (t.level[v] < 0 || v == t.source) continue;
        const index_t p = t.parent[v];
        const index_t *begin = a.index_data() + a.offset(p),
                      *end = a.index_data() + a.offset(p + offset_t{1});
        if (!std::binary_search(begin, end, v))
            return fmt::format("vertex {} has parent {}, but there is no edge {} -> {}", v, p, p, v);
    }
    return {};
}

}  // namespace

std::string validate_bfs(const context&, const matrix& a, offset_t source, const vector& levels,
                         const vector& parents) {
    require<dimension_mismatch>(
        a.rows() == a.columns() && levels.size() == a.rows() && parents.size() == a.rows(),
        "validate_bfs: the graph is {} x {}, levels have {} entries and parents {}", a.rows(), a.columns(),
        levels.size(), parents.size());
    ops::check_source(source, a.rows());
    const tree t{levels.values<std::int32_t>().data(), parents.values<std::int32_t>().data(),
                 static_cast<index_t>(a.rows()), static_cast<index_t>(source)};
    const storage::csr& rows = a.body().rows();
    if (auto broken = check_tree(t); !broken.empty()) return broken;
    if (auto broken = check_edges(t, rows); !broken.empty()) return broken;
    return check_parents(t, rows);
}

}  // namespace nz
