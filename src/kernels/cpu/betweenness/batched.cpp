// betweenness/batched: Brandes's two sweeps for up to 64 sources at once (Brandes 2001; the batch as bits, as in
// traverse_many/bit_parallel).
//
// Forward, a level's vertices with the words of the sources that are so far away: where few edges lead out of it, push marks
//   what they reach first, and count adds up, for each vertex marked, the paths to its neighbours on the level; where many
//   do, pull does both at once for every vertex that a source has not reached. Backward, each vertex of a level adds up
//   (1 + handed on) / paths of its neighbours behind, which they have left in place of their paths.
// Who owns what: runs of vertices go to whichever thread is free; one thread adds up a vertex's row. Marks are set by atomic or.
// Sync: the join after each step. Determinism: a vertex's sums run along its list; bit for bit the same whatever the threads.
// Memory: a word of 8 bytes an entry of a list and, where its bits meet, the neighbour's row of paths. Workspace: three words,
//   8 bytes a source and 4 a vertex, and 12 bytes for a vertex and level that it is on.
// Cost: each edge two or three times for each distance that its end has from some source. Distance to the limit:
//   docs/measurements/graphs.md.
// Why products were not enough: a source alone reads all lists twice for its own sake, and each level passes over vectors.
#include "kernels/cpu/betweenness/batched.hpp"

#include "core/parallel.hpp"

#include <bit>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t vertices_a_turn = 256;

source_word read(const source_word& at) {
    return std::atomic_ref<const source_word>(at).load(std::memory_order_relaxed);
}

source_word all_sources(const betweenness_arguments& k) { return ~source_word{0} >> (64 - k.sources); }

template <class F>
void for_bits(source_word word, F&& f) {
    for (; word; word &= word - 1) f(std::countr_zero(word));
}

/// Adds to sums[s] what the neighbours on `level` for source s hold in their rows, for the wanted sources; returns those met.
source_word gather(const betweenness_arguments& k, const betweenness_edges& edges, index_t v,
                   source_word wanted, double* sums) {
    source_word met = 0;
    for (offset_t e = edges.offsets[v], end = edges.offsets[v + offset_t{1}]; e < end; ++e) {
        const index_t u = edges.neighbours[e];
        const source_word here = k.level[u] & wanted;
        if (!here) continue;
        for_bits(here & ~met, [&](int s) { sums[s] = 0; });
        met |= here;
        const double* row = k.paths + offset_t{u} * k.stride;
        for_bits(here, [&](int s) { sums[s] += row[s]; });
    }
    return met;
}

/// 0, or NaN where paths are infinite, so that the centrality shows it.
double beyond(double paths) { return paths - paths; }

template <class F>
void for_level(const betweenness_arguments& k, const betweenness_level& l, F&& f) {
    parallel::for_chunks(k.threads, l.count, vertices_a_turn, [&](offset_t begin, offset_t end) {
        for (offset_t at = begin; at < end; ++at) f(l.vertices[at], l.masks[at]);
    });
}

/// A thread's findings of one turn, handed over together.
class findings {
public:
    explicit findings(const betweenness_arguments& k) : k_(k) {}
    void add(index_t v) {
        list_.push_back(v);
        edges_ += k_.out.offsets[v + offset_t{1}] - k_.out.offsets[v];
    }
    void hand_over() {
        if (list_.empty()) return;
        const auto count = static_cast<offset_t>(list_.size());
        const offset_t at = std::atomic_ref(k_.found->vertices).fetch_add(count, std::memory_order_relaxed);
        std::atomic_ref(k_.found->edges).fetch_add(edges_, std::memory_order_relaxed);
        std::ranges::copy(list_, k_.found_vertices + at);
        list_.clear();
        edges_ = 0;
    }

private:
    const betweenness_arguments& k_;
    std::vector<index_t> list_;
    offset_t edges_ = 0;
};

void start(const betweenness_arguments& k, const betweenness_level& sources, void*) {
    for (offset_t at = 0; at < sources.count; ++at) {
        const index_t v = sources.vertices[at];
        k.visited[v] = k.level[v] = sources.masks[at];
        for_bits(sources.masks[at], [&](int s) { k.paths[offset_t{v} * k.stride + s] = 1; });
    }
}

void push(const betweenness_arguments& k, const betweenness_level& from, void*) {
    parallel::for_chunks(k.threads, from.count, vertices_a_turn, [&](offset_t begin, offset_t end) {
        findings mine(k);
        for (offset_t at = begin; at < end; ++at) {
            const index_t v = from.vertices[at];
            for (offset_t e = k.out.offsets[v]; e < k.out.offsets[v + offset_t{1}]; ++e) {
                const index_t w = k.out.neighbours[e];
                const source_word fresh = from.masks[at] & ~k.visited[w];
                if (!(fresh & ~read(k.next[w]))) continue;
                if (std::atomic_ref(k.next[w]).fetch_or(fresh, std::memory_order_relaxed) == 0) mine.add(w);
            }
        }
        mine.hand_over();
    });
}

void pull(const betweenness_arguments& k, void*) {
    const source_word all = all_sources(k);
    parallel::for_chunks(k.threads, k.vertices, vertices_a_turn, [&](offset_t begin, offset_t end) {
        findings mine(k);
        double sums[64];
        for (auto v = static_cast<index_t>(begin); v < end; ++v) {
            const source_word wanted = all & ~k.visited[v];
            if (!wanted) continue;
            const source_word met = gather(k, k.in, v, wanted, sums);
            if (!met) continue;
            for_bits(met, [&](int s) { k.paths[offset_t{v} * k.stride + s] = sums[s]; });
            k.next[v] = met;
            mine.add(v);
        }
        mine.hand_over();
    });
}

void keep(const betweenness_arguments& k, const betweenness_level& to, void*) {
    parallel::for_pieces(k.threads, to.count, [&](offset_t begin, offset_t end) {
        for (offset_t at = begin; at < end; ++at) {
            const index_t v = k.found_vertices[at];
            to.vertices[at] = v;
            to.masks[at] = k.next[v];
            k.visited[v] |= k.next[v];
        }
    });
}

void count(const betweenness_arguments& k, const betweenness_level& to, void*) {
    for_level(k, to, [&](index_t v, source_word mask) {
        double sums[64];
        for_bits(gather(k, k.in, v, mask, sums),
                 [&](int s) { k.paths[offset_t{v} * k.stride + s] = sums[s]; });
    });
}

void clear(const betweenness_arguments& k, const betweenness_level& of, void*) {
    for_level(k, of, [&](index_t v, source_word) { k.level[v] = 0; });
}

void mark(const betweenness_arguments& k, const betweenness_level& of, void*) {
    for_level(k, of, [&](index_t v, source_word mask) { k.level[v] = mask; });
}

void back(const betweenness_arguments& k, const betweenness_level& of, void*) {
    for_level(k, of, [&](index_t v, source_word mask) {
        double sums[64], total = 0;
        const source_word met = gather(k, k.out, v, mask, sums);
        double* row = k.paths + offset_t{v} * k.stride;
        for_bits(mask, [&](int s) {
            const double handed = (met >> s & 1 ? row[s] * sums[s] : 0) + beyond(row[s]);
            total += handed;
            row[s] = (1 + handed) / row[s];
        });
        k.centrality[v] += total;
    });
}

}  // namespace

const betweenness_table& batched_betweenness() {
    static constexpr betweenness_table table{&start, &push, &pull, &keep, &count, &clear, &mark, &back};
    return table;
}

}  // namespace nz::kernels::cpu
