// One level by push, for a frontier with edges enough to fill words. Collect: a thread takes members of the frontier and goes
// through their lists with a visited set of its own, a copy: what it has not met yet it files as a pair (u, v) for the owner of v's
// words, without a branch, and nothing is atomic. Where the smallest parents are wanted the frontier is brought into order first, by way of a
// bitmap: the first of a thread to meet v is then its smallest. Apply: the owner leaves the smallest u of all pairs as v's parent,
// again without a branch, for no parent is -1, the largest number without a sign. A full log ends the collecting for this round;
// without parents nothing is filed. Note: the owner unites the copies of its words, and the new bits are the level.
// Why not common_push_wide.cpp: it tests one set for all and claims in the end, a mispredicted branch for every third edge
// of a level that finds a quarter of its neighbours unvisited.
// Cost: a list's lines, an edge's bit, and 8 bytes a find and thread; beside it a copy of the visited set a thread.
// Distance to the limit: docs/measurements/bfs.md; with two threads 2.8 ns an edge and thread of a level that finds a quarter of its
// edges' ends, levels and degrees among it.
#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"
#include "plan/traverse.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace nz::kernels::cpu::traversal {
namespace {

constexpr offset_t parallel_from = 2048;  // frontier edges, as in a wide push
constexpr int lists_ahead = 16;           // members ahead whose lists are fetched, their offsets as many more
constexpr offset_t few = 64;              // members: every thread takes a part of each one's list
constexpr offset_t most_a_turn = 256, turns = 8;  // members a thread takes at a time, and how often it comes
constexpr offset_t step = 256;                    // neighbours between two looks at the logs' room
constexpr offset_t words_a_line = 8;              // no line of the visited set has two owners
constexpr int most_threads = plan::dense_push_threads;
static_assert(plan::least_push_segment >= step);

struct met_until {
    const index_t* next;
    std::uint64_t* last;
};
/// Files the neighbours below `beyond`, those met for the first time. A function of its own: inlined, what it counts with leaves the
/// registers, and a level takes 1.4 times as long.
template <bool Parents>
[[gnu::noinline]] met_until meet(const index_t* list, const index_t* end, index_t beyond, bits::word* met,
                                 std::uint64_t* pairs, std::uint64_t u) {
    for (; list < end && *list < beyond; ++list) {
        const auto v = static_cast<std::uint32_t>(*list);
        const bits::word word = met[v / bits::per_word];
        met[v / bits::per_word] = word | bits::word{1} << (v % bits::per_word);
        if constexpr (Parents) {
            *pairs = u | v;  // overwritten by the next unless v is new
            pairs += ~word >> (v % bits::per_word) & 1;
        }
    }
    return {list, pairs};
}

class dense_push {
public:
    explicit dense_push(search& s) : s_(s) {}

    void prepare(int threads) {
        threads_ = threads;
        capacity_ = s_.a.vertices / (offset_t{threads} * threads);
        a_turn_ = std::clamp<offset_t>(s_.frontier_size / (threads * turns), 1, most_a_turn);
        for (int t = 0; t < threads; ++t) {
            const auto [first, last] =
                parallel::piece(static_cast<offset_t>(s_.words), t, threads, words_a_line);
            owned_[t] = {first, last};
            beyond_[t] = last < static_cast<offset_t>(s_.words) ? static_cast<index_t>(last * bits::per_word)
                                                                : std::numeric_limits<index_t>::max();
            std::fill_n(filed_[t], threads, 0);
        }
    }

    void work(int me, parallel::spin_barrier& barrier) {
        bits::word* const met = copy(me);
        std::copy_n(s_.visited, s_.words, met);
        place at;
        for (int round = 1;; ++round) {
            const bool done = s_.a.parents ? collect<true>(me, met, at) : collect<false>(me, met, at);
            if (!done) last_round_.store(round + 1, std::memory_order_relaxed);
            barrier.wait();
            const bool again = last_round_.load(std::memory_order_relaxed) > round;
            if (s_.a.parents) apply(me);
            if (!again) break;
            barrier.wait();
        }
        note(me);
    }

    void finish() {
        std::swap(s_.frontier, s_.found);
        s_.queue_valid = false;
        s_.frontier_size = finds_.load(std::memory_order_relaxed);
        s_.frontier_edges = edges_.load(std::memory_order_relaxed);
    }

private:
    struct range {
        offset_t first = 0, last = 0;
    };
    /// Where a thread's collecting stands: members [entry, turn_end), the first from neighbour `k` to `end`.
    struct place {
        offset_t entry = -1, turn_end = 0, k = 0, end = 0;
    };

    /// The visited set as a thread knows it: in bitmaps that no push needs, and behind them.
    bits::word* copy(int t) const {
        return t == 0   ? s_.found
               : t == 1 ? s_.frontier
                        : s_.copies + static_cast<std::size_t>(t - 2) * s_.words;
    }
    std::uint64_t* log(int from, int owner) const {
        return s_.packed + capacity_ * (offset_t{from} * threads_ + owner);
    }

    /// False when a log is full before the frontier is through.
    template <bool Parents>
    bool collect(int me, bits::word* met, place& at) {
        while (at.k < at.end || next_list(me, at)) {
            const offset_t stop = std::min(at.end, at.k + step);
            if (Parents && *std::max_element(filed_[me], filed_[me] + threads_) + step > capacity_)
                return false;
            file<Parents>(me, met, s_.queue[at.entry], at.k, stop);
            at.k = stop;
        }
        return true;
    }

    bool next_list(int me, place& at) {
        const offset_t size = s_.frontier_size;
        const bool shared = size <= few;
        if (++at.entry >= at.turn_end) {
            at.entry = shared ? at.turn_end : next_.fetch_add(a_turn_, std::memory_order_relaxed);
            at.turn_end = std::min(size, at.entry + (shared ? size : a_turn_));
            if (at.entry >= at.turn_end) {
                at = {size, size, 0, 0};
                return false;
            }
            for (offset_t q = at.entry; q < std::min(at.turn_end, at.entry + lists_ahead); ++q) fetch(q);
        }
        if (at.entry + 2 * lists_ahead < size)
            s_.a.out_offsets.prefetch(s_.queue[at.entry + 2 * lists_ahead]);
        if (at.entry + lists_ahead < at.turn_end) fetch(at.entry + lists_ahead);
        const index_t u = s_.queue[at.entry];
        at.k = s_.a.out_offsets[u];
        at.end = s_.a.out_offsets[u + offset_t{1}];
        if (shared) {
            const auto [first, last] = parallel::piece(at.end - at.k, me, threads_);
            at.end = at.k + last;
            at.k += first;
        }
        return true;
    }

    [[gnu::always_inline]] void fetch(offset_t q) const {
        constexpr int line = 16, lines = 3;  // of 16 neighbours
        const index_t* const list = s_.a.out_neighbours + s_.a.out_offsets[s_.queue[q]];
        for (int l = 0; l < lines; ++l) __builtin_prefetch(list + l * line);
    }

    /// Neighbours [k, stop) of u, owner by owner, for they ascend.
    template <bool Parents>
    void file(int me, bits::word* met, index_t u, offset_t k, offset_t stop) {
        const std::uint64_t high = std::uint64_t{static_cast<std::uint32_t>(u)} << 32;
        const index_t *list = s_.a.out_neighbours + k, *const end = s_.a.out_neighbours + stop;
        for (int owner = 0; list < end; ++owner) {
            std::uint64_t* const pairs = log(me, owner);
            const auto [next, last] =
                meet<Parents>(list, end, beyond_[owner], met, pairs + filed_[me][owner], high);
            list = next;
            filed_[me][owner] = last - pairs;
        }
    }

    void apply(int me) {
        std::int32_t* const parents = s_.a.parents;
        for (int from = 0; from < threads_; ++from) {
            const std::uint64_t* const pairs = log(from, me);
            const offset_t count = std::exchange(filed_[from][me], 0);
            for (offset_t i = 0; i < count; ++i) {
                std::int32_t& parent = parents[static_cast<std::uint32_t>(pairs[i])];
                parent = static_cast<std::int32_t>(
                    std::min(static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(pairs[i] >> 32)));
            }
        }
    }

    /// Levels and counts of what the owner's words have gained, which `found` holds then.
    void note(int me) {
        offset_t finds = 0, edges = 0;
        for (offset_t w = owned_[me].first; w < owned_[me].last; ++w) {
            bits::word all = 0;
            for (int t = 0; t < threads_; ++t) all |= copy(t)[w];
            s_.found[w] = all & ~s_.visited[w];
            s_.visited[w] = all;
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
    offset_t capacity_ = 0;  // pairs a log holds
    offset_t a_turn_ = 1;    // members
    range owned_[most_threads];
    index_t beyond_[most_threads];  // the first vertex that is not the owner's nor one's before it
    alignas(64) offset_t filed_[most_threads][most_threads];  // pairs in each log
    std::atomic<offset_t> next_{0}, finds_{0}, edges_{0};
    std::atomic<int> last_round_{0};
};

}  // namespace

bool serves_dense(const search& s) {
    constexpr offset_t an_edge =
        16;  // vertices: the passes over bitmaps have edges to serve; 80 took as long
    const offset_t team = plan::push_team(s.a.threads, s.a.vertices);
    return team <= most_threads && s.a.vertices / (team * team) >= plan::least_push_segment &&
           s.a.switches.masking && s.a.switches.structure_only && s.frontier_edges >= s.a.vertices / an_edge;
}

void push_dense(search& s) {
    if (s.queue_valid && s.a.smallest_parent && s.a.parents) {
        s.queue_to_frontier();
        s.queue_valid = false;
    }
    if (!s.queue_valid) s.bitmap_to_queue();
    dense_push level(s);
    parallel::team(
        s.frontier_edges < parallel_from ? 1 : plan::push_team(s.a.threads, s.a.vertices),
        [&](int size) { level.prepare(size); },
        [&](int me, parallel::spin_barrier& barrier) { level.work(me, barrier); }, s.a.threads);
    level.finish();
}

}  // namespace nz::kernels::cpu::traversal
