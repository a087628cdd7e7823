// A check of shortest paths that needs no other search: distances that no edge improves are upper bounds of nothing, and
// tight edges down to the source make them lengths of paths; both together leave the shortest alone.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "ops/checks.hpp"
#include "ops/shortest.hpp"
#include "storage/matrix_body.hpp"
#include "storage/path_length.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nz {
namespace {

template <class Weight>
struct answer {
    using length = storage::path_length<Weight>;
    using key = typename length::key;

    const storage::csr& rows;
    const storage::edge_weights& weights;
    std::vector<key> distance;
    const std::int32_t* parent;  // null: not given
    index_t n, source;

    key over(index_t u, offset_t k) const { return length::add(distance[u], weights.at<Weight>(k)); }
    bool reached(index_t v) const { return distance[v] != length::unreached; }
    auto show(index_t v) const { return std::bit_cast<Weight>(distance[v]); }

    std::string check_ends() const {
        if (!reached(source) || distance[source] != 0)
            return fmt::format("source {} has no distance 0", source);
        if (!parent) return {};
        if (parent[source] != source)
            return fmt::format("source {} has parent {}, not itself", source, parent[source]);
        for (index_t v = 0; v < n; ++v) {
            if (reached(v) != (parent[v] >= 0))
                return fmt::format("vertex {} has {}, but parent {}", v,
                                   reached(v) ? "a distance" : "no distance", parent[v]);
            if (parent[v] >= n)
                return fmt::format("vertex {} has parent {}, which is not a vertex", v, parent[v]);
        }
        return {};
    }

    // No edge improves; `tight` marks those that the edge from their parent gives their distance.
    std::string check_edges(std::vector<bool>& tight) const {
        for (index_t u = 0; u < n; ++u) {
            if (!reached(u)) continue;
            for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
                const index_t v = rows.index_data()[k];
                const key through = over(u, k);
                if (through == length::unreached) continue;
                if (!reached(v))
                    return fmt::format("edge {} -> {} leads to a vertex without a distance", u, v);
                if (through < distance[v])
                    return fmt::format("edge {} -> {} gives a smaller distance than {}", u, v, show(v));
                if (through == distance[v] && parent && parent[v] == u) tight[v] = true;
            }
        }
        return {};
    }

    std::string check_parents(const std::vector<bool>& tight) const {
        for (index_t v = 0; v < n; ++v)
            if (v != source && reached(v) && !tight[v])
                return fmt::format(
                    "vertex {} at {} has parent {}, but no edge from there gives that distance", v, show(v),
                    parent[v]);
        return check_cycles();
    }

    // Without parents: edges that give the distances lead from the source to every vertex that has one.
    std::string check_paths() const {
        std::vector<bool> led_to(static_cast<std::size_t>(n));
        std::vector<index_t> open{source};
        led_to[source] = true;
        while (!open.empty()) {
            const index_t u = open.back();
            open.pop_back();
            for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
                const index_t v = rows.index_data()[k];
                if (led_to[v] || !reached(v) || over(u, k) != distance[v]) continue;
                led_to[v] = true;
                open.push_back(v);
            }
        }
        for (index_t v = 0; v < n; ++v)
            if (reached(v) && !led_to[v])
                return fmt::format("no path gives vertex {} its distance {}", v, show(v));
        return {};
    }

    // Walks up from every vertex until one that is known to lead to the source; a walk that meets itself is a cycle.
    std::string check_cycles() const {
        std::vector<index_t> seen(static_cast<std::size_t>(n), -1);  // in the walk from which vertex
        for (index_t v = 0; v < n; ++v) {
            if (!reached(v)) continue;
            index_t at = v;
            while (seen[at] < 0 && at != source) {
                seen[at] = v;
                at = parent[at];
            }
            if (at != source && seen[at] == v)
                return fmt::format("the parents of vertex {} form a cycle", at);
        }
        return {};
    }

    std::string check() const {
        std::vector<bool> tight(static_cast<std::size_t>(n));
        if (auto broken = check_ends(); !broken.empty()) return broken;
        if (auto broken = check_edges(tight); !broken.empty()) return broken;
        return parent ? check_parents(tight) : check_paths();
    }
};

}  // namespace

std::string validate_sssp(const context&, const matrix& a, offset_t source, const vector& distances,
                          const vector& parents) {
    require<dimension_mismatch>(a.rows() == a.columns() && distances.size() == a.rows() &&
                                    (parents.size() == 0 || parents.size() == a.rows()),
                                "validate_sssp: the graph is {} x {}, there are {} distances and {} parents",
                                a.rows(), a.columns(), distances.size(), parents.size());
    ops::check_source(source, a.rows());
    const dtype type = ops::distance_type(a.type(), distances.type());
    const auto n = static_cast<index_t>(a.rows());
    const auto weights = a.body().weights_as(type);
    return storage::with_weight(type, [&]<class Weight>(std::type_identity<Weight>) -> std::string {
        using length = storage::path_length<Weight>;
        answer<Weight> found{
            a.body().rows(),
            *weights,
            std::vector<typename length::key>(static_cast<std::size_t>(n), length::unreached),
            parents.size() ? parents.values<std::int32_t>().data() : nullptr,
            n,
            static_cast<index_t>(source)};
        std::string broken;
        storage::for_each_entry(distances.body(), [&](index_t v, offset_t k) {
            const auto x = distances.body().values.as<Weight>()[k];
            if (!(x >= 0) && broken.empty()) broken = fmt::format("vertex {} has distance {}", v, x);
            found.distance[static_cast<std::size_t>(v)] = length::of(x + Weight{0});  // -0 is 0
        });
        return broken.empty() ? found.check() : broken;
    });
}

}  // namespace nz
