// components/afforest: weakly connected components by union of edges, most of which are never looked at (Sutton,
// Ben-Nun, Barak: Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling, 2018).
//
// Computes: a forest in which every vertex points to one with a smaller number, or to itself. Linking an edge climbs from
//   both ends until they meet or the root of larger number is hung below the other side; a climb halves its path. First every
//   vertex points to its first neighbour, where that is smaller, which needs no link; after the others of the first two edges
//   of each vertex the trees are flattened (of a sixteenth of the vertices before the rest: what that has joined, the rest
//   finds to have one root already), and a sample of 1,024 vertices names the largest of them; the remaining edges of
//   its vertices are passed over: those that lead out of it are seen from their other ends, which need edges of both
//   directions. Where those are not at hand every edge is linked.
// Who owns what: runs of 1,024 vertices go to whichever thread is free. Pointers are changed by compare-and-swap when a
//   root is hung, and by plain stores when a path is shortened, which only ever skips ancestors.
// Sync: the join after each of the passes (point, flatten, link twice with a flatten behind each, link the rest, flatten).
// Determinism: pointers lead to smaller numbers, so a root is the smallest vertex of its tree: the labels do not depend on
//   the order of links.
// Memory: the labels, no workspace. Cost: about 2 n edges and labels read at random, and the edges outside the largest
//   component. Distance to the limit: docs/measurements/graphs.md.
// Why the loop over mxv was not enough: each of its rounds reads all edges, and there are as many as the diameter.
#include "kernels/cpu/components/afforest.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <array>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t vertices_a_turn = 1024;
constexpr offset_t sampled_edges =
    2;  // a vertex: enough that the largest component holds together, Sutton et al.
constexpr offset_t first_turns = 16;  // one turn of so many is linked first
constexpr std::size_t samples = 1024;

class forest {
public:
    explicit forest(const components_arguments& a) : a_(a), parent_(a.labels) {}

    void run() {
        const bool both = a_.in_neighbours != nullptr;
        each([&](index_t v) { parent_[v] = both ? std::min(v, neighbour(v, 0, v)) : v; });
        if (both) {
            each([&](index_t v) { flatten(v); });
            link_sampled([](offset_t turn) { return turn % first_turns == 0; });
            each([&](index_t v) { flatten(v); });
            link_sampled([](offset_t turn) { return turn % first_turns != 0; });
            each([&](index_t v) { flatten(v); });
        }
        const index_t largest = both ? most_frequent() : index_t{-1};
        each([&](index_t v) {
            if (get(v) == largest) return;
            link_list(v, a_.out_offsets, a_.out_neighbours, both ? sampled_edges : 0);
            if (both && !a_.symmetric) link_list(v, a_.in_offsets, a_.in_neighbours, 0);
        });
        each([&](index_t v) { flatten(v); });
    }

private:
    template <class F>
    void each(F&& f) {
        parallel::for_chunks(a_.threads, a_.vertices, vertices_a_turn, [&](offset_t begin, offset_t end) {
            for (offset_t v = begin; v < end; ++v) f(static_cast<index_t>(v));
        });
    }
    template <class Which>
    void link_sampled(Which&& which) {
        parallel::for_chunks(a_.threads, a_.vertices, vertices_a_turn, [&](offset_t begin, offset_t end) {
            if (!which(begin / vertices_a_turn)) return;
            for (auto v = static_cast<index_t>(begin); v < end; ++v) {
                if (const index_t u = neighbour(v, 0, v); u > v) link(v, u);
                link(v, neighbour(v, 1, v));
            }
        });
    }
    index_t get(index_t v) const {
        return std::atomic_ref<index_t>(parent_[v]).load(std::memory_order_relaxed);
    }
    void put(index_t v, index_t parent) {
        std::atomic_ref<index_t>(parent_[v]).store(parent, std::memory_order_relaxed);
    }

    index_t neighbour(index_t v, offset_t number, index_t otherwise) const {
        const offset_t k = a_.out_offsets[v] + number;
        return k < a_.out_offsets[v + offset_t{1}] ? a_.out_neighbours[k] : otherwise;
    }
    void link_list(index_t v, const offset_reader& offsets, const index_t* neighbours, offset_t from) {
        for (offset_t k = offsets[v] + from; k < offsets[v + offset_t{1}]; ++k) link(v, neighbours[k]);
    }

    void link(index_t u, index_t v) {
        index_t x = get(u), y = get(v);
        while (x != y) {
            const index_t high = std::max(x, y), low = std::min(x, y);
            index_t above = get(high);
            if (above == low) return;
            if (above == high && std::atomic_ref<index_t>(parent_[high])
                                     .compare_exchange_strong(above, low, std::memory_order_relaxed))
                return;
            x = get(above);
            if (x != above) put(high, x);
            y = get(low);
        }
    }

    void flatten(index_t v) {
        index_t up = get(v);
        for (index_t next = get(up); next != up; next = get(up)) up = next;
        put(v, up);
    }

    // The most frequent label of a sample spread over all vertices by a multiplicative step, the smallest of several.
    index_t most_frequent() const {
        std::array<index_t, samples> seen;
        for (std::size_t k = 0; k < samples; ++k)
            seen[k] =
                get(static_cast<index_t>(k * 0x9E3779B97F4A7C15u % static_cast<std::uint64_t>(a_.vertices)));
        std::ranges::sort(seen);
        index_t best = -1;
        std::size_t most = 0;
        for (std::size_t k = 0; k < samples;) {
            const std::size_t begin = k;
            while (k < samples && seen[k] == seen[begin]) ++k;
            if (k - begin > most) most = k - begin, best = seen[begin];
        }
        return best;
    }

    const components_arguments& a_;
    index_t* const parent_;
};

}  // namespace

void afforest(const components_arguments& a) {
    if (a.vertices > 0) forest(a).run();
}

}  // namespace nz::kernels::cpu
