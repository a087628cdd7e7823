// One level by push, for a frontier with edges enough to fill words. The frontier goes through a bitmap into order; every thread
// follows it and takes, of each list, the neighbours in words of its own: lists ascend, so it begins where they would lie
// were they spread evenly, steps to the first of its own, and goes on to the last. A vertex's parent is then the first that
// claims it, which is the smallest, without a second look; nothing is filed, and nothing is atomic.
// Why not common_push_wide.cpp: it files a pair of 8 bytes for each edge to a vertex not visited, and reads it again to claim the vertex or
// lower its parent (rmat:18,16 whole: 1.60 ms, here 1.28).
// Cost: a list's lines once a thread, a bit test an edge, and a pass over the bitmap. Beyond a few threads looking at every list
// is what it costs.
#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"

#include <algorithm>
#include <atomic>

namespace nz::kernels::cpu::traversal {
namespace {

constexpr offset_t parallel_from = 2048;  // frontier edges, as in a wide push
constexpr int lists_ahead = 16;           // members ahead whose lists are fetched, their offsets as many more
constexpr offset_t words_a_line = 8;      // no line of the visited set has two owners

class dense_push {
public:
    explicit dense_push(search& s) : s_(s) {}

    void prepare(int threads) { threads_ = threads; }

    void work(int me) {
        const auto words = static_cast<offset_t>(s_.words);
        const auto [first, last] = parallel::piece(words, me, threads_, words_a_line);
        std::copy(s_.visited + first, s_.visited + last, s_.found + first);
        const auto lowest = static_cast<index_t>(std::min<offset_t>(first * bits::per_word, s_.a.vertices)),
                   beyond = static_cast<index_t>(std::min<offset_t>(last * bits::per_word, s_.a.vertices));
        for (offset_t q = 0; q < std::min<offset_t>(lists_ahead, s_.frontier_size); ++q) fetch(q);
        for (offset_t q = 0; q < s_.frontier_size; ++q) {
            if (q + 2 * lists_ahead < s_.frontier_size)
                s_.a.out_offsets.prefetch(s_.queue[q + 2 * lists_ahead]);
            if (q + lists_ahead < s_.frontier_size) fetch(q + lists_ahead);
            push(s_.queue[q], lowest, beyond);
        }
        note(first, last);
    }

    void finish() {
        std::swap(s_.frontier, s_.found);
        s_.queue_valid = false;
        s_.frontier_size = finds_.load(std::memory_order_relaxed);
        s_.frontier_edges = edges_.load(std::memory_order_relaxed);
    }

private:
    [[gnu::always_inline]] void fetch(offset_t q) const {
        constexpr int line = 16;  // neighbours
        const index_t* const list = s_.a.out_neighbours + s_.a.out_offsets[s_.queue[q]];
        __builtin_prefetch(list);
        __builtin_prefetch(list + line);
    }

    void push(index_t u, index_t lowest, index_t beyond) {
        const index_t* const neighbours = s_.a.out_neighbours;
        const offset_t begin = s_.a.out_offsets[u], end = s_.a.out_offsets[u + offset_t{1}];
        offset_t k = begin + (end - begin) * lowest / s_.a.vertices;
        while (k > begin && neighbours[k - 1] >= lowest) --k;
        while (k < end && neighbours[k] < lowest) ++k;
        bits::word* const visited = s_.visited;
        std::int32_t* const parents = s_.a.parents;
        for (; k < end && neighbours[k] < beyond; ++k) {
            const auto v = static_cast<std::uint32_t>(neighbours[k]);
            bits::word& word = visited[v / bits::per_word];
            const bits::word bit = bits::word{1} << (v % bits::per_word);
            if (word & bit) continue;
            word |= bit;
            if (parents) parents[v] = u;
        }
    }

    /// Levels and counts of what this thread's words have gained, which `found` holds then.
    void note(offset_t first, offset_t last) {
        offset_t finds = 0, edges = 0;
        for (offset_t w = first; w < last; ++w) {
            s_.found[w] ^= s_.visited[w];
            bits::for_each(s_.found[w], w * bits::per_word, [&](offset_t v) {
                s_.a.levels[v] = s_.depth;
                edges += s_.degree(static_cast<index_t>(v));
                ++finds;
            });
        }
        finds_.fetch_add(finds, std::memory_order_relaxed);
        edges_.fetch_add(edges, std::memory_order_relaxed);
    }

    search& s_;
    int threads_ = 1;
    std::atomic<offset_t> finds_{0}, edges_{0};
};

}  // namespace

bool serves_dense(const search& s) {
    constexpr int most_threads = 4;   // each looks at every list; not measured beyond two
    constexpr offset_t an_edge = 16;  // vertices: the passes over bitmaps have edges to serve; not measured
    return s.a.threads <= most_threads && s.a.switches.masking && s.a.switches.structure_only &&
           s.frontier_edges >= s.a.vertices / an_edge;
}

void push_dense(search& s) {
    if (s.queue_valid) {
        std::fill_n(s.frontier, s.words, bits::word{0});
        for (offset_t q = 0; q < s.frontier_size; ++q) bits::set(s.frontier, s.queue[q]);
    }
    s.bitmap_to_queue();  // in order
    dense_push level(s);
    parallel::team(
        s.frontier_edges < parallel_from ? 1 : s.a.threads, [&](int size) { level.prepare(size); },
        [&](int me, parallel::spin_barrier&) { level.work(me); });
    level.finish();
}

}  // namespace nz::kernels::cpu::traversal
