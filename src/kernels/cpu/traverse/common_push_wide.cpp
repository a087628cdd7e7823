// One level by push without atomic claims. Collect: each thread takes 64 queue entries a turn and files every
// unvisited neighbour v of u as a pair (u, v) in the segment of the thread that owns v's bitmap word. Apply: each
// thread claims the vertices of the pairs filed for it, which no other touches: the first pair takes the vertex,
// later ones leave the smaller parent. A full segment ends the collecting for this round.
// Why not compare-and-swap: on cores with caches of their own every swap waits for the stores before it, which miss.
// Apply knows its pairs beforehand, so it fetches the lines ahead.
#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"
#include "plan/traverse.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace nz::kernels::cpu::traversal {
namespace {

constexpr offset_t parallel_from =
    2048;                              // frontier edges; below, a join (1 to 2 us) costs more than it saves
constexpr int most_threads = 64;       // of a plan::push_team
constexpr offset_t turn_entries = 64;  // queue entries a thread takes at a time
constexpr int entries_ahead = 8;  // queue entries whose neighbours are fetched ahead, offsets twice as far
constexpr int pairs_ahead = 16;   // pairs whose lines of the result are fetched ahead
constexpr std::size_t local_block = 1024;  // finds a thread gathers before it takes room in the queue

class wide_push {
public:
    explicit wide_push(search& s) : s_(s) {}

    void prepare(int threads) {
        threads_ = threads;
        capacity_ = s_.a.vertices / (offset_t{threads} * threads);
        owner_scale_ = (std::uint64_t{static_cast<unsigned>(threads)} << 32) / s_.words;
        for (int from = 0; from < threads; ++from) std::fill_n(counts_[from], threads, 0);
    }

    void work(int me, parallel::spin_barrier& barrier) {
        place at;
        finds mine;
        for (int round = 1;; ++round) {
            if (!collect(me, at, round == 1)) last_round_.store(round + 1, std::memory_order_relaxed);
            barrier.wait();
            const bool again = last_round_.load(std::memory_order_relaxed) > round;
            apply(me, mine);
            barrier.wait();
            if (!again) break;
        }
        flush(mine);
        edges_.fetch_add(mine.edges, std::memory_order_relaxed);
    }

    void finish() {
        std::swap(s_.queue, s_.next_queue);
        s_.frontier_size = found_.load(std::memory_order_relaxed);
        s_.frontier_edges = edges_.load(std::memory_order_relaxed);
    }

private:
    /// Where a thread's collecting stands: queue entries [entry, turn_end), the first from neighbour `k` on.
    struct place {
        offset_t entry = 0, turn_end = 0;
        offset_t k = -1;  ///< -1: from the first neighbour
    };
    struct finds {
        index_t block[local_block];
        std::size_t held = 0;
        offset_t edges = 0;
    };

    std::uint64_t* segment(int from, int owner) const {
        return s_.packed + capacity_ * (offset_t{from} * threads_ + owner);
    }
    int owner(std::uint32_t word) const { return static_cast<int>(word * owner_scale_ >> 32); }

    /// False when a segment filled up before the queue was empty.
    bool collect(int me, place& at, bool first_round) {
        offset_t* const counts = counts_[me];
        const bits::word* const visited = s_.visited;
        const index_t *const neighbours = s_.a.out_neighbours, *const queue = s_.queue;
        const offset_reader offsets = s_.a.out_offsets;
        const bool* const values = s_.a.switches.structure_only ? nullptr : s_.a.out_values;
        const offset_t size = s_.frontier_size;
        while (next_entry(at, size)) {
            if (at.entry + 2 * entries_ahead < size) offsets.prefetch(queue[at.entry + 2 * entries_ahead]);
            if (at.entry + entries_ahead < size)
                __builtin_prefetch(neighbours + offsets[queue[at.entry + entries_ahead]]);
            const index_t u = queue[at.entry];
            const offset_t end = offsets[u + offset_t{1}];
            for (offset_t k = at.k < 0 ? offsets[u] : at.k; k < end; ++k) {
                const auto v = static_cast<std::uint32_t>(neighbours[k]);
                const std::uint32_t w = v / bits::per_word;
                if ((visited[w] >> (v % bits::per_word) & 1 && !may_improve(v, first_round)) ||
                    (values && !values[k]))
                    continue;
                const int to = owner(w);
                if (counts[to] == capacity_) {
                    at.k = k;
                    return false;
                }
                segment(me, to)[counts[to]++] = std::uint64_t{static_cast<std::uint32_t>(u)} << 32 | v;
            }
            at.k = -1;
            ++at.entry;
        }
        return true;
    }

    /// A visited vertex may still get a smaller parent if a round before this one claimed it in this level.
    bool may_improve(std::uint32_t v, bool first_round) const {
        return !first_round && s_.a.levels[v] == s_.depth;
    }

    bool next_entry(place& at, offset_t size) {
        if (at.entry < at.turn_end) return true;
        at.entry = turn_.fetch_add(turn_entries, std::memory_order_relaxed);
        at.turn_end = std::min(size, at.entry + turn_entries);
        return at.entry < at.turn_end;
    }

    void apply(int me, finds& mine) {
        std::int32_t *const levels = s_.a.levels, *const parents = s_.a.parents;
        const bool smallest = s_.a.smallest_parent && parents;
        for (int from = 0; from < threads_; ++from) {
            const std::uint64_t* const pairs = segment(from, me);
            const offset_t count = std::exchange(counts_[from][me], 0);
            for (offset_t i = 0; i < count; ++i) {
                if (i + pairs_ahead < count) fetch_result(static_cast<std::uint32_t>(pairs[i + pairs_ahead]));
                const auto v = static_cast<std::uint32_t>(pairs[i]);
                const auto u = static_cast<std::int32_t>(pairs[i] >> 32);
                bits::word& word = s_.visited[v / bits::per_word];
                const bits::word bit = bits::word{1} << (v % bits::per_word);
                if (word & bit) {  // by a pair of this level: collect left out those of earlier ones
                    if (smallest && u < parents[v]) parents[v] = u;
                    continue;
                }
                word |= bit;
                levels[v] = s_.depth;
                if (parents) parents[v] = u;
                mine.edges += s_.degree(static_cast<index_t>(v));
                if (mine.held == local_block) flush(mine);
                mine.block[mine.held++] = static_cast<index_t>(v);
            }
        }
    }

    [[gnu::always_inline]] void fetch_result(std::uint32_t v) const {
        __builtin_prefetch(s_.a.levels + v, 1);
        if (s_.a.parents) __builtin_prefetch(s_.a.parents + v, 1);
        s_.a.out_offsets.prefetch(v);
    }

    void flush(finds& mine) {
        const offset_t at = found_.fetch_add(static_cast<offset_t>(mine.held), std::memory_order_relaxed);
        std::copy_n(mine.block, mine.held, s_.next_queue + at);
        mine.held = 0;
    }

    search& s_;
    int threads_ = 1;
    offset_t capacity_ = 0;                        // pairs a segment holds
    std::uint64_t owner_scale_ = 0;                // words to owners, in 32.32 fixed point
    offset_t counts_[most_threads][most_threads];  // pairs in each segment
    std::atomic<offset_t> turn_{0}, found_{0}, edges_{0};
    std::atomic<int> last_round_{0};
};

}  // namespace

void push_wide(search& s) {
    wide_push level(s);
    parallel::team(
        s.frontier_edges < parallel_from ? 1 : plan::push_team(s.a.threads, s.a.vertices),
        [&](int size) { level.prepare(size); },
        [&](int me, parallel::spin_barrier& barrier) { level.work(me, barrier); }, s.a.threads);
    level.finish();
}

}  // namespace nz::kernels::cpu::traversal
