#include "kernels/cpu/shortest/common_parents.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t row_chunk = 256;  // rows handed to a thread at a time: hubs lie in few of them

template <class Weight>
class parents_pass {
public:
    explicit parents_pass(const shortest_arguments& a)
        : a_(a),
          distance_(static_cast<const key*>(a.distances)),
          weights_(static_cast<const Weight*>(a.weights)) {}

    void from_nearer() const {
        std::fill_n(a_.parents, a_.vertices, -1);
        parallel::for_chunks(a_.threads, a_.vertices, row_chunk, [&](offset_t begin, offset_t end) {
            for (auto u = static_cast<index_t>(begin); u < end; ++u)
                for_tight(u, [&](index_t v) {
                    if (distance_[u] < distance_[v]) lower(v, u);
                });
        });
        a_.parents[a_.source] = a_.source;
    }

    // Vertices without a parent are found from those that have one, a turn at a time; within a turn the smallest stays.
    void over_no_length() const {
        std::vector<index_t> left;
        for (index_t v = 0; v < a_.vertices; ++v)
            if (a_.parents[v] < 0 && distance_[v] != length::unreached) left.push_back(v);
        if (left.empty()) return;
        std::vector<std::int32_t> turn_parent(static_cast<std::size_t>(a_.vertices), -1);
        std::vector<index_t> found, next;
        const auto look_from = [&](index_t u) {
            for_tight(u, [&](index_t v) {
                if (a_.parents[v] >= 0) return;
                if (turn_parent[v] < 0) next.push_back(v);
                turn_parent[v] = turn_parent[v] < 0 ? u : std::min(turn_parent[v], u);
            });
        };
        for (index_t u = 0; u < a_.vertices; ++u)
            if (a_.parents[u] >= 0) look_from(u);
        while (!next.empty()) {
            found.swap(next);
            next.clear();
            for (const index_t v : found) a_.parents[v] = turn_parent[v];
            for (const index_t v : found) look_from(v);
        }
    }

private:
    using length = path_length<Weight>;
    using key = typename length::key;

    /// f(v) for every edge from u that gives v's distance.
    template <class F>
    void for_tight(index_t u, F&& f) const {
        const key from = distance_[u];
        if (from == length::unreached) return;
        for (offset_t k = a_.offsets[u], end = a_.offsets[u + offset_t{1}]; k < end; ++k) {
            const index_t v = a_.neighbours[k];
            if (length::add(from, weights_[a_.one_weight ? 0 : k]) == distance_[v] &&
                distance_[v] != length::unreached)
                f(v);
        }
    }
    void lower(index_t v, index_t u) const {
        std::atomic_ref<std::int32_t> parent(a_.parents[v]);
        std::int32_t now = parent.load(std::memory_order_relaxed);
        while ((now < 0 || u < now) && !parent.compare_exchange_weak(now, u, std::memory_order_relaxed)) {
        }
    }

    const shortest_arguments& a_;
    const key* distance_;
    const Weight* weights_;
};

}  // namespace

void shortest_parents(const shortest_arguments& a) {
    with_weight(a.type, [&]<class Weight>(std::type_identity<Weight>) {
        const parents_pass<Weight> pass(a);
        pass.from_nearer();
        pass.over_no_length();
    });
}

void finish_shortest_parents(const shortest_arguments& a) {
    with_weight(a.type,
                [&]<class Weight>(std::type_identity<Weight>) { parents_pass<Weight>(a).over_no_length(); });
}

}  // namespace nz::kernels::cpu
