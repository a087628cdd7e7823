// traverse/push_pull_fused: breadth-first search, all levels in one call (yang2018, algorithm 1, with its five
// optimisations as run-time switches).
//
// Push, few edges: the frontier is a queue. One thread walks it in ascending order, without atomics: the first to
//   find a vertex is then its smallest parent. Finds go to a bitmap with a summary (one bit a word), from which the
//   next queue is read back ascending. The lines of queue entries to come are fetched ahead.
// Push, many edges: all threads, 64 queue entries a turn; a vertex is claimed by compare-and-swap on the claim
//   array (parents, or levels where none are wanted); finds are gathered in a local block and copied to the queue.
// Pull: visited set and finds are bitmaps. A thread takes 64 words (4,096 vertices) a turn, lists the unvisited
//   ones, and scans the in-neighbours of each for a member of the frontier up to the first (early exit). Every
//   visited in-neighbour of an unvisited vertex is in the frontier, so the visited set itself is read (operand
//   reuse). Vertices without in-neighbours are noted in the first pull and not looked at again.
// Who owns what: in pull a thread alone writes the words, levels and parents of its vertices; in push a vertex
//   belongs to whoever claims it. One join a level.
// Memory: two queues and five bitmaps (plan::push_pull_fused_workspace), of order vertices.
// Determinism: the parent is the smallest frontier neighbour: pull meets it first, as neighbours ascend, and so
//   does one pushing thread, as the queue does; several keep the minimum over all claims of the level. The order of
//   their queue varies between runs, results do not. Without smallest_parent the first claim stands.
// Cost: push: frontier edges * (bit test; claim when unvisited). Pull: unvisited vertices * (offsets, first line
//   of neighbours, bit tests to the first hit).
// Distance to the limit: docs/measurements.md. Bound by the latency of neighbours' lines and by mispredicted
//   branches (two to three a vertex), not by bytes.
// Why the loop over mxv was not enough: every level pays operation overhead, bitmap clearing and conversions of
//   order vertices / 64, which is all the time there is on thin, deep graphs.
#include "kernels/cpu/traverse/push_pull_fused.hpp"

#include "core/parallel.hpp"
#include "plan/workspace.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t push_parallel_from =
    16384;  // frontier edges; below, a join (1 to 2 us) costs more than it saves
constexpr offset_t pull_parallel_from = 65536;  // vertices
constexpr offset_t sort_below =
    48;  // queue entries; above, reading them back from the bitmap is faster than sorting
constexpr offset_t push_turn = 64;  // queue entries a thread takes at a time
constexpr int push_ahead = 8;       // queue entries ahead whose neighbours are fetched, offsets twice as far
constexpr std::size_t pull_turn = 64;      // bitmap words a thread takes at a time
constexpr int prefetch_ahead = 12;         // unvisited vertices ahead whose neighbours are fetched
constexpr std::size_t local_block = 1024;  // finds a thread gathers before it takes room in the queue

std::atomic_ref<std::int32_t> atomic(std::int32_t& x) { return std::atomic_ref(x); }

class search {
public:
    explicit search(const traverse_arguments& arguments)
        : a(arguments), words_(bits::words_for(arguments.vertices)) {
        plan::workspace_parts memory(a.workspace);
        queue_ = memory.take<index_t>(a.vertices);
        next_queue_ = memory.take<index_t>(a.vertices);
        for (bits::word** map : {&visited_, &frontier_, &found_, &dead_, &fresh_})
            *map = memory.take<bits::word>(words_);
        summary_ = memory.take<bits::word>(bits::words_for(static_cast<offset_t>(words_)));
        claims_ = a.parents ? a.parents : a.levels;
    }

    traverse_totals run() {
        initialise();
        while (frontier_size_ > 0 && (a.max_depth < 0 || depth_ < a.max_depth)) {
            const auto choice = choose();
            state_ = choice.next;
            const offset_t frontier = frontier_size_, unvisited = a.vertices - totals_.reached;
            totals_.edges += frontier_edges_;
            ++depth_;
            if (state_.current == direction::push) {
                if (!queue_valid_) bitmap_to_queue();
                push();
            } else {
                if (queue_valid_) queue_to_bitmap();
                pull();
            }
            totals_.reached += frontier_size_;
            if (a.on_level)
                a.on_level(a.receiver, {state_.current, "push_pull_fused", frontier, unvisited, choice.ratio,
                                        choice.reason});
        }
        totals_.edges += frontier_edges_;  // of a frontier that the depth limit left unexplored
        return totals_;
    }

private:
    void initialise() {
        parallel::for_pieces(a.threads, a.vertices, [&](offset_t begin, offset_t end) {
            std::fill(a.levels + begin, a.levels + end, -1);
            if (a.parents) std::fill(a.parents + begin, a.parents + end, -1);
        });
        std::fill_n(visited_, words_, bits::word{0});
        std::fill_n(fresh_, words_, bits::word{0});
        std::fill_n(summary_, bits::words_for(static_cast<offset_t>(words_)), bits::word{0});
        a.levels[a.source] = 0;
        if (a.parents) a.parents[a.source] = a.source;
        bits::set(visited_, a.source);
        queue_[0] = a.source;
        frontier_size_ = totals_.reached = 1;
        frontier_edges_ = degree(a.source);
    }

    plan::direction_choice choose() const {
        const auto level = static_cast<std::size_t>(depth_);
        auto choice = plan::choose_direction(state_, frontier_size_, a.vertices, a.thresholds,
                                             a.switches.change_direction && a.in_offsets.data);
        if (level < a.schedule.size()) {
            choice.next.current = a.schedule[level];
            choice.reason = "as scheduled";
        }
        return choice;
    }

    // ---- push
    // -------------------------------------------------------------------------------------------------

    void push() {
        if (frontier_edges_ < push_parallel_from || a.threads == 1) return push_serial();
        next_count_.store(0, std::memory_order_relaxed);
        push_parallel(a.threads);
        std::swap(queue_, next_queue_);
        frontier_size_ = next_count_.load(std::memory_order_relaxed);
        queue_sorted_ = false;
        mark_visited(a.threads);
    }

    offset_t degree(index_t v) const { return a.out_offsets[v + offset_t{1}] - a.out_offsets[v]; }

    bool passes(const bool* values, offset_t k) const {
        return a.switches.structure_only || !values || values[k];
    }

    void push_serial() {
        if (!queue_sorted_) std::sort(queue_, queue_ + frontier_size_);
        queue_sorted_ = true;
        const bool reads_values = !a.switches.structure_only && a.out_values;
        const bool few = frontier_edges_ < sort_below && !reads_values;
        const offset_t count = few            ? push_in_order<false, true>()
                               : reads_values ? push_in_order<true, false>()
                                              : push_in_order<false, false>();
        std::swap(queue_, next_queue_);
        if (few) std::sort(queue_, queue_ + count);
        frontier_size_ = few ? count : read_back_fresh();
        frontier_edges_ = 0;
        for (offset_t q = 0; q < frontier_size_; ++q) frontier_edges_ += degree(queue_[q]);
    }

    /// One thread over the ascending queue. Few: finds are appended to the next queue, and their number returned;
    /// otherwise they go to fresh_. Everything is held in locals: stores through the results' pointers would make
    /// the compiler read members again after each.
    template <bool ReadsValues, bool Few>
    [[gnu::noinline]] offset_t push_in_order() {
        std::int32_t* const levels = a.levels;
        std::int32_t* const parents = a.parents;
        bits::word *const visited = visited_, *const fresh = fresh_, *const summary = summary_;
        const index_t *const neighbours = a.out_neighbours, *const queue = queue_;
        index_t* const next = next_queue_;
        const offset_reader offsets = a.out_offsets;
        const bool* const values = a.out_values;
        const offset_t size = frontier_size_;
        const std::int32_t depth = depth_;
        offset_t count = 0;
        for (offset_t q = 0; q < size; ++q) {
            if (q + 2 * push_ahead < size) offsets.prefetch(queue[q + 2 * push_ahead]);
            if (q + push_ahead < size) __builtin_prefetch(neighbours + offsets[queue[q + push_ahead]]);
            const index_t u = queue[q];
            const offset_t end = offsets[u + offset_t{1}];
            for (offset_t k = offsets[u]; k < end; ++k) {
                const auto v = static_cast<std::uint32_t>(neighbours[k]);
                const std::uint32_t w = v / bits::per_word;
                const bits::word bit = bits::word{1} << (v % bits::per_word);
                if (visited[w] & bit) continue;
                if constexpr (ReadsValues)
                    if (!values[k]) continue;
                visited[w] |= bit;
                levels[v] = depth;
                if (parents) parents[v] = u;
                if constexpr (Few) {
                    next[count++] = static_cast<index_t>(v);
                } else {
                    fresh[w] |= bit;
                    summary[w / bits::per_word] |= bits::word{1} << (w % bits::per_word);
                }
            }
        }
        return count;
    }

    /// Empties fresh_ into the queue, ascending.
    offset_t read_back_fresh() {
        offset_t count = 0;
        for (std::size_t s = 0; s < bits::words_for(static_cast<offset_t>(words_)); ++s) {
            bits::for_each(std::exchange(summary_[s], 0), static_cast<offset_t>(s) * bits::per_word,
                           [&](offset_t w) {
                               bits::for_each(std::exchange(fresh_[w], 0), w * bits::per_word,
                                              [&](offset_t v) { queue_[count++] = static_cast<index_t>(v); });
                           });
        }
        return count;
    }

    /// Asks for what entry q + n of the queue will need: on meshes neighbours in the queue lie on lines far
    /// apart. (Inlined by force: gcc 12 takes a function of prefetches for one without effect and drops the
    /// call.)
    [[gnu::always_inline]] void fetch_ahead(offset_t q) const {
        if (q + 2 * push_ahead < frontier_size_) a.out_offsets.prefetch(queue_[q + 2 * push_ahead]);
        if (q + push_ahead < frontier_size_)
            __builtin_prefetch(a.out_neighbours + a.out_offsets[queue_[q + push_ahead]]);
    }

    void push_parallel(int threads) {
        std::atomic<offset_t> turn{0};
        parallel::run(threads, [&](int, int) {
            index_t block[local_block];
            std::size_t held = 0;
            const auto flush = [&] {
                std::copy_n(block, held,
                            next_queue_ + next_count_.fetch_add(static_cast<offset_t>(held),
                                                                std::memory_order_relaxed));
                held = 0;
            };
            for (offset_t q = turn.fetch_add(push_turn); q < frontier_size_; q = turn.fetch_add(push_turn))
                for (offset_t p = q; p < std::min(q + push_turn, frontier_size_); ++p) {
                    fetch_ahead(p);
                    const index_t u = queue_[p];
                    const offset_t end = a.out_offsets[u + offset_t{1}];
                    for (offset_t k = a.out_offsets[u]; k < end; ++k) {
                        const index_t v = a.out_neighbours[k];
                        if (bits::test(visited_, v) || !passes(a.out_values, k) || !claim(u, v)) continue;
                        if (held == local_block) flush();
                        block[held++] = v;
                    }
                }
            flush();
        });
    }

    /// True for the one call that takes v; smaller parents replace larger ones of the same level.
    bool claim(index_t u, index_t v) {
        const std::int32_t mine = a.parents ? u : depth_;
        std::int32_t seen = atomic(claims_[v]).load(std::memory_order_relaxed);
        if (seen < 0 && atomic(claims_[v]).compare_exchange_strong(seen, mine, std::memory_order_relaxed)) {
            if (a.parents) a.levels[v] = depth_;
            return true;
        }
        if (a.parents && a.smallest_parent)
            while (u < seen &&
                   !atomic(claims_[v]).compare_exchange_weak(seen, u, std::memory_order_relaxed)) {
            }
        return false;
    }

    /// Also counts the edges of the new frontier, whose offsets the next level needs anyway.
    void mark_visited(int threads) {
        std::atomic<offset_t> edges{0};
        parallel::for_pieces(threads, frontier_size_, [&](offset_t begin, offset_t end) {
            offset_t my_edges = 0;
            for (offset_t q = begin; q < end; ++q) {
                const index_t v = queue_[q];
                std::atomic_ref(visited_[v / bits::per_word])
                    .fetch_or(bits::word{1} << (v % bits::per_word), std::memory_order_relaxed);
                my_edges += degree(v);
            }
            edges += my_edges;
        });
        frontier_edges_ = edges;
    }

    // ---- pull
    // -------------------------------------------------------------------------------------------------

    void pull() {
        const bits::word* operand = a.switches.operand_reuse ? visited_ : frontier_;
        const bool first = !std::exchange(dead_known_, true);
        if (first) std::fill_n(dead_, words_, bits::word{0});
        std::atomic<std::size_t> turn{0};
        std::atomic<offset_t> finds{0}, edges{0};
        const int threads = a.vertices < pull_parallel_from ? 1 : a.threads;
        parallel::run(threads, [&](int, int) {
            offset_t my_finds = 0, my_edges = 0;
            for (std::size_t w = turn.fetch_add(pull_turn); w < words_; w = turn.fetch_add(pull_turn))
                pull_words(w, std::min(words_, w + pull_turn), operand, first, my_finds, my_edges);
            finds += my_finds;
            edges += my_edges;
        });
        parallel::for_pieces(threads, static_cast<offset_t>(words_), [&](offset_t begin, offset_t end) {
            for (offset_t w = begin; w < end; ++w) visited_[w] |= found_[w];
        });
        std::swap(frontier_, found_);
        frontier_size_ = finds;
        frontier_edges_ = edges;
    }

    void pull_words(std::size_t first, std::size_t last, const bits::word* operand, bool note_dead,
                    offset_t& finds, offset_t& edges) {
        index_t candidates[pull_turn * bits::per_word];
        int count = 0;
        for (std::size_t w = first; w < last; ++w) {
            bits::word open = bits::valid(a.vertices, w) & ~dead_[w];
            if (a.switches.masking) open &= ~visited_[w];
            bits::for_each(open, static_cast<offset_t>(w) * bits::per_word,
                           [&](offset_t v) { candidates[count++] = static_cast<index_t>(v); });
            found_[w] = 0;
        }
        for (int c = 0; c < count; ++c) {
            if (c + prefetch_ahead < count)
                __builtin_prefetch(a.in_neighbours + a.in_offsets[candidates[c + prefetch_ahead]]);
            const index_t v = candidates[c];
            const offset_t begin = a.in_offsets[v], end = a.in_offsets[v + offset_t{1}];
            if (begin == end) {
                if (note_dead) bits::set(dead_, v);
                continue;
            }
            const index_t parent = first_member(begin, end, operand);
            if (parent < 0 || (!a.switches.masking && bits::test(visited_, v))) continue;
            bits::set(found_, v);
            a.levels[v] = depth_;
            if (a.parents) a.parents[v] = parent;
            ++finds;
            edges += a.in_neighbours == a.out_neighbours ? end - begin : degree(v);
        }
    }

    /// The first in-neighbour in `operand`, or -1.
    index_t first_member(offset_t begin, offset_t end, const bits::word* operand) const {
        index_t parent = -1;
        for (offset_t k = begin; k < end; ++k) {
            const index_t u = a.in_neighbours[k];
            if (!bits::test(operand, u) || !passes(a.in_values, k) || parent >= 0) continue;
            parent = u;
            if (a.switches.early_exit) break;
        }
        return parent;
    }

    // ---- between directions
    // -----------------------------------------------------------------------------------

    void bitmap_to_queue() {
        offset_t count = 0;
        for (std::size_t w = 0; w < words_; ++w)
            bits::for_each(frontier_[w], static_cast<offset_t>(w) * bits::per_word,
                           [&](offset_t v) { queue_[count++] = static_cast<index_t>(v); });
        queue_valid_ = queue_sorted_ = true;
    }

    void queue_to_bitmap() {
        queue_valid_ = false;
        if (a.switches.operand_reuse) return;
        std::fill_n(frontier_, words_, bits::word{0});
        for (offset_t q = 0; q < frontier_size_; ++q) bits::set(frontier_, queue_[q]);
    }

    const traverse_arguments& a;
    const std::size_t words_;
    index_t *queue_, *next_queue_;
    bits::word *visited_, *frontier_, *found_, *dead_, *fresh_, *summary_;
    std::int32_t* claims_;
    std::atomic<offset_t> next_count_{0};
    offset_t frontier_size_ = 0, frontier_edges_ = 0;
    std::int32_t depth_ = 0;
    bool queue_valid_ = true, queue_sorted_ = true, dead_known_ = false;
    plan::direction_state state_{};
    traverse_totals totals_{};
};

}  // namespace

traverse_totals push_pull_fused(const traverse_arguments& arguments) { return search(arguments).run(); }

}  // namespace nz::kernels::cpu
