#include "kernels/reference/shortest.hpp"

#include <algorithm>
#include <vector>

namespace nz::kernels::reference {
namespace {

template <class Weight>
struct search {
    using length = path_length<Weight>;
    using key = typename length::key;

    const shortest_arguments& a;
    key* d = static_cast<key*>(a.distances);

    key over(index_t u, offset_t k) const {
        return length::add(d[u], static_cast<const Weight*>(a.weights)[a.one_weight ? 0 : k]);
    }
    /// f(u, v, length over the edge) for every edge that a path takes from a reached vertex.
    template <class F>
    void for_edges(F&& f) const {
        for (index_t u = 0; u < a.vertices; ++u)
            for (offset_t k = a.offsets[u]; d[u] != length::unreached && k < a.offsets[u + offset_t{1}]; ++k)
                if (over(u, k) != length::unreached) f(u, a.neighbours[k], over(u, k));
    }

    void find_distances() const {
        std::fill_n(d, a.vertices, length::unreached);
        d[a.source] = 0;
        bool changed = true;
        while (changed) {
            changed = false;
            for_edges([&](index_t, index_t v, key through) {
                changed |= through < d[v];
                d[v] = std::min(d[v], through);
            });
        }
    }

    void find_parents() const {
        std::fill_n(a.parents, a.vertices, -1);
        a.parents[a.source] = a.source;
        const auto lower = [&](index_t u, index_t v) {
            a.parents[v] = a.parents[v] < 0 ? u : std::min(a.parents[v], u);
        };
        for_edges([&](index_t u, index_t v, key through) {
            if (v != a.source && through == d[v] && d[u] < d[v]) lower(u, v);
        });
        // Edges of length 0: one step further from the vertices that have parents in each turn.
        bool changed = true;
        while (changed) {
            const std::vector<std::int32_t> before(a.parents, a.parents + a.vertices);
            changed = false;
            for_edges([&](index_t u, index_t v, key through) {
                if (through != d[v] || before[v] >= 0 || before[u] < 0) return;
                lower(u, v);
                changed = true;
            });
        }
    }
};

}  // namespace

void shortest(const shortest_arguments& a) {
    with_weight(a.type, [&]<class Weight>(std::type_identity<Weight>) {
        const search<Weight> s{a};
        s.find_distances();
        if (a.parents) s.find_parents();
    });
}

}  // namespace nz::kernels::reference
