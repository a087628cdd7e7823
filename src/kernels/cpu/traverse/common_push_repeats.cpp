// One level by push that tolerates repeats (switch duplicates; yang2018, section 7.3, of Gunrock): nobody claims a vertex. Who reads
// that it is not reached writes its level and parent and queues it; a second thread that read before the write queues it again.
// What one thread has written it reads at once, so that only threads that meet within nanoseconds repeat each other: the read is
// the culling. Parents: any, or the smallest, lowered by compare-and-swap by all that find the vertex on this level.
// A queue holds so many entries as there are vertices. What repeats push out of it is no loss: the frontier is then read back from
// the levels, each vertex once. The visited bitmap is left behind, and made of the levels before a pull.
#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace nz::kernels::cpu::traversal {
namespace {

constexpr offset_t repeats_parallel_from = 2048;  // frontier edges, as for wide pushes
constexpr offset_t repeats_turn = 64;             // queue entries a thread takes at a time
constexpr int repeats_ahead = 8;                  // queue entries whose neighbours are fetched ahead
constexpr std::size_t repeats_block = 1024;       // finds a thread gathers before it takes room in the queue

class repeating_push {
public:
    explicit repeating_push(search& s)
        : s_(s),
          room_(s.a.queue_room > 0 ? std::min<offset_t>(s.a.queue_room, s.a.vertices) : s.a.vertices),
          smallest_(s.a.smallest_parent && s.a.parents) {}

    void work() {
        finds mine;
        const offset_t size = s_.frontier_size;
        for (offset_t at; (at = turn_.fetch_add(repeats_turn, std::memory_order_relaxed)) < size;)
            for (offset_t q = at; q < std::min(size, at + repeats_turn); ++q) {
                if (q + 2 * repeats_ahead < size) s_.a.out_offsets.prefetch(s_.queue[q + 2 * repeats_ahead]);
                if (q + repeats_ahead < size)
                    __builtin_prefetch(s_.a.out_neighbours + s_.a.out_offsets[s_.queue[q + repeats_ahead]]);
                push_row(s_.queue[q], mine);
            }
        flush(mine);
        edges_.fetch_add(mine.edges, std::memory_order_relaxed);
    }

    void finish() {
        std::swap(s_.queue, s_.next_queue);
        s_.frontier_size = found_.load(std::memory_order_relaxed);
        s_.frontier_edges = edges_.load(std::memory_order_relaxed);
        if (s_.frontier_size > room_) queue_from_levels();
    }

private:
    struct finds {
        index_t block[repeats_block];
        std::size_t held = 0;
        offset_t edges = 0;
    };

    void push_row(index_t u, finds& mine) {
        const bool* const values = s_.a.switches.structure_only ? nullptr : s_.a.out_values;
        const offset_t end = s_.a.out_offsets[u + offset_t{1}];
        for (offset_t k = s_.a.out_offsets[u]; k < end; ++k) {
            if (values && !values[k]) continue;
            const index_t v = s_.a.out_neighbours[k];
            const std::atomic_ref level(s_.a.levels[v]);
            const std::int32_t seen = level.load(std::memory_order_relaxed);
            if (seen >= 0 && (seen != s_.depth || !smallest_)) continue;
            if (smallest_) lower_parent(v, u);
            if (seen >= 0) continue;
            level.store(s_.depth, std::memory_order_relaxed);
            if (s_.a.parents && !smallest_)
                std::atomic_ref(s_.a.parents[v]).store(u, std::memory_order_relaxed);
            mine.edges += s_.degree(v);
            if (mine.held == repeats_block) flush(mine);
            mine.block[mine.held++] = v;
        }
    }

    void lower_parent(index_t v, index_t u) {
        const std::atomic_ref parent(s_.a.parents[v]);
        std::int32_t seen = parent.load(std::memory_order_relaxed);
        while ((seen < 0 || u < seen) && !parent.compare_exchange_weak(seen, u, std::memory_order_relaxed)) {
        }
    }

    void flush(finds& mine) {
        const auto held = static_cast<offset_t>(mine.held);
        const offset_t at = found_.fetch_add(held, std::memory_order_relaxed);
        if (at < room_) std::copy_n(mine.block, std::min(held, room_ - at), s_.next_queue + at);
        mine.held = 0;
    }

    void queue_from_levels() {
        s_.frontier_size = s_.frontier_edges = 0;
        for (index_t v = 0; v < s_.a.vertices; ++v) {
            if (s_.a.levels[v] != s_.depth) continue;
            s_.queue[s_.frontier_size++] = v;
            s_.frontier_edges += s_.degree(v);
        }
    }

    search& s_;
    const offset_t room_;  // entries
    const bool smallest_;
    std::atomic<offset_t> turn_{0}, found_{0}, edges_{0};
};

}  // namespace

void push_repeating(search& s) {
    repeating_push level(s);
    parallel::run(s.frontier_edges < repeats_parallel_from ? 1 : s.a.threads,
                  [&](int, int) { level.work(); });
    level.finish();
}

}  // namespace nz::kernels::cpu::traversal
