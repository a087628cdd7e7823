// traverse/push_pull_fused: breadth-first search, all levels in one call (yang2018, algorithm 1, with its five
// optimisations as run-time switches, and a sixth of its section 7.3: duplicates).
//
// Push: the frontier is a queue. Each level files its edges by the owner of the vertex they lead to, who then claims
//   without atomics (common_push_wide.cpp); of one with edges enough to fill words every thread first leaves out what it has
//   met itself (common_push_dense.cpp). A search that has pushed a 32nd of the vertices since its last pull is on a deep,
//   thin graph and goes on with a team that stays together, over packed claims (common_push_deep.cpp). With duplicates on
//   nobody claims, and the queue may hold a vertex more than once (common_push_repeats.cpp).
// Pull: visited set and finds are bitmaps. A thread takes 16 words (1,024 vertices) a turn, lists the unvisited
//   ones, and scans the in-neighbours of each for a member of the frontier up to the first (early exit). Every
//   visited in-neighbour of an unvisited vertex is in the frontier, so the visited set itself is read (operand
//   reuse). Vertices without in-neighbours are noted in the first pull and not looked at again.
// Who owns what: in pull a thread alone writes the words, levels and parents of its vertices; so does the owner in
//   a wide push, and in a dense one once all have collected; in a deep push a vertex belongs to whoever's
//   compare-and-swap comes first.
// Memory: two queues, four bitmaps and one packed word a vertex; with 3 to 8 threads, threads - 2 more bitmaps
//   (plan::push_pull_fused_workspace).
// Determinism: the parent is the smallest frontier neighbour: pull meets it first, as neighbours ascend; push keeps
//   the minimum over all claims of the level. The order of the queue varies between runs, results do not. Without
//   smallest_parent the first claim of a wide push stands, and the smallest of those filed in a dense one.
// Cost: push: frontier edges * (bit test; pair when unvisited). Pull: unvisited vertices * (offsets, first line of
//   neighbours, bit tests to the first hit).
// Distance to the limit: docs/measurements/bfs.md. Bound by the latency of neighbours' lines and by mispredicted
//   branches (two to three a vertex), not by bytes.
// Why the loop over mxv was not enough: every level pays operation overhead, bitmap clearing and conversions of
//   order vertices / 64, which is all the time there is on thin, deep graphs.
#include "kernels/cpu/traverse/push_pull_fused.hpp"

#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"
#include "plan/traverse.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

namespace nz::kernels::cpu {
namespace traversal {
namespace {

constexpr offset_t pull_parallel_from = 65536;  // vertices
constexpr int lists_ahead = 12;                 // unvisited vertices ahead whose neighbours are fetched
constexpr std::size_t pull_turn = 16;  // bitmap words a thread takes at a time; its lists' first lines fit L2
constexpr offset_t deep_from = 32;     // a 32nd of the vertices pushed: as dear as packing them all

constexpr int most_shares = 64;  // threads that pull

/// Which words of each thread's share are handed out.
struct shares {
    struct alignas(64) share {
        std::atomic<std::size_t> next{0};
    } each[most_shares];
    std::size_t take(int owner) { return each[owner].next.fetch_add(pull_turn, std::memory_order_relaxed); }
};

bool passes(const traverse_arguments& a, const bool* values, offset_t k) {
    return a.switches.structure_only || !values || values[k];
}

}  // namespace

search::search(const traverse_arguments& arguments)
    : a(arguments), words(bits::words_for(arguments.vertices)) {
    plan::workspace_parts memory(a.workspace);
    queue = memory.take<index_t>(a.vertices);
    next_queue = memory.take<index_t>(a.vertices);
    for (bits::word** map : {&visited, &frontier, &found, &dead})
        *map = memory.take<bits::word>(static_cast<offset_t>(words));
    packed = memory.take<std::uint64_t>(a.vertices);
    copies = memory.take<bits::word>(static_cast<offset_t>(words) *
                                     plan::dense_push_copies(plan::push_team(a.threads, a.vertices)));
}

traverse_totals search::run() {
    initialise();
    const bool repeats = a.switches.duplicates;
    while (frontier_size > 0 && within_depth(depth)) {
        const auto choice = choose(state, frontier_size, frontier_edges, depth);
        const bool pushes = choice.next.current == direction::push;
        const bool deep = pushes && !repeats && pushed_in_a_row >= a.vertices / deep_from,
                   dense = pushes && !repeats && !deep && serves_dense(*this);
        if (pushes && !dense && !queue_valid) bitmap_to_queue();
        if (deep) {
            push_deep(*this);
            pushed_in_a_row = 0;
            continue;
        }
        state = choice.next;
        const offset_t size = frontier_size,
                       unvisited = std::max<offset_t>(0, a.vertices - totals.reached);  // repeats count
        totals.edges += frontier_edges;
        ++depth;
        if (dense) {
            push_dense(*this);
        } else if (pushes) {
            repeats ? push_repeating(*this) : push_wide(*this);
        } else {
            if (queue_valid) queue_to_bitmap();
            pull();
        }
        pushed_in_a_row = pushes ? pushed_in_a_row + size : 0;
        totals.reached += frontier_size;
        report(choice, size, unvisited);
    }
    totals.edges += frontier_edges;  // of a frontier that the depth limit left unexplored
    if (repeats) count_reached();
    return totals;
}

plan::direction_choice search::choose(const plan::direction_state& now, offset_t size, offset_t edges,
                                      std::int32_t level) const {
    auto choice = plan::choose_direction(now, {size, a.vertices, edges, a.out_offsets[a.vertices]},
                                         a.thresholds, a.switches.change_direction && a.in_offsets.data);
    if (static_cast<std::size_t>(level) < a.schedule.size()) {
        choice.next.current = a.schedule[static_cast<std::size_t>(level)];
        choice.reason = "as scheduled";
    }
    return choice;
}

void search::report(const plan::direction_choice& choice, offset_t size, offset_t unvisited) const {
    if (a.on_level)
        a.on_level(a.receiver,
                   {choice.next.current, "push_pull_fused", size, unvisited, choice.ratio, choice.reason});
}

void search::initialise() {
    parallel::for_pieces(a.threads, a.vertices, [&](offset_t begin, offset_t end) {
        std::fill(a.levels + begin, a.levels + end, -1);
        if (a.parents) std::fill(a.parents + begin, a.parents + end, -1);
    });
    std::fill_n(visited, words, bits::word{0});
    a.levels[a.source] = 0;
    if (a.parents) a.parents[a.source] = a.source;
    bits::set(visited, a.source);
    queue[0] = a.source;
    totals.reached = 1;
    frontier_edges = degree(a.source);
}

void search::pull() {
    const bits::word* operand = a.switches.operand_reuse ? visited : frontier;
    if (!std::exchange(dead_known, true)) std::fill_n(dead, words, bits::word{0});
    shares of{};
    std::atomic<offset_t> finds{0}, edges{0};
    const int threads = a.vertices < pull_parallel_from ? 1 : std::min(a.threads, most_shares);
    parallel::run(threads, [&](int part, int parts) {
        offset_t my_finds = 0, my_edges = 0;
        // First what is this thread's own, whose levels and parents its cache has seen before; then what others have not got to.
        for (int n = 0; n < parts; ++n) {
            const int owner = (part + n) % parts;
            const auto [begin, end] = parallel::piece(static_cast<offset_t>(words), owner, parts, pull_turn);
            const auto last = static_cast<std::size_t>(end);
            for (auto w = static_cast<std::size_t>(begin) + of.take(owner); w < last;
                 w = static_cast<std::size_t>(begin) + of.take(owner))
                pull_words(w, std::min(last, w + pull_turn), operand, my_finds, my_edges);
        }
        finds += my_finds;
        edges += my_edges;
    });
    parallel::for_pieces(threads, static_cast<offset_t>(words), [&](offset_t begin, offset_t end) {
        for (offset_t w = begin; w < end; ++w) visited[w] |= found[w];
    });
    std::swap(frontier, found);
    frontier_size = finds;
    frontier_edges = edges;
}

void search::pull_words(std::size_t first, std::size_t last, const bits::word* operand, offset_t& finds,
                        offset_t& edges) {
    struct {
        index_t vertex;
        offset_t begin, end;
    } candidates[pull_turn * bits::per_word];
    int count = 0;
    // Without a branch on empty lists, which would go wrong for every third vertex of a Kronecker graph.
    for (std::size_t w = first; w < last; ++w) {
        bits::word open = bits::valid(a.vertices, w) & ~dead[w];
        if (a.switches.masking) open &= ~visited[w];
        bits::for_each(open, static_cast<offset_t>(w) * bits::per_word, [&](offset_t v) {
            const offset_t begin = a.in_offsets[v], end = a.in_offsets[v + 1];
            candidates[count] = {static_cast<index_t>(v), begin, end};
            if (count < lists_ahead)
                __builtin_prefetch(a.in_neighbours + begin);  // the scan below begins with these
            count += begin < end;
            dead[w] |= bits::word{begin == end} << (v % bits::per_word);
        });
        found[w] = 0;
    }
    for (int c = 0; c < count; ++c) {
        if (c + lists_ahead < count) __builtin_prefetch(a.in_neighbours + candidates[c + lists_ahead].begin);
        const auto [v, begin, end] = candidates[c];
        const index_t parent = first_member(begin, end, operand);
        if (parent < 0 || (!a.switches.masking && bits::test(visited, v))) continue;
        bits::set(found, v);
        a.levels[v] = depth;
        if (a.parents) a.parents[v] = parent;
        ++finds;
        edges += a.in_neighbours == a.out_neighbours ? end - begin : degree(v);
    }
}

/// The first in-neighbour in `operand`, or -1.
index_t search::first_member(offset_t begin, offset_t end, const bits::word* operand) const {
    index_t parent = -1;
    for (offset_t k = begin; k < end; ++k) {
        const index_t u = a.in_neighbours[k];
        if (!bits::test(operand, u) || !passes(a, a.in_values, k) || parent >= 0) continue;
        parent = u;
        if (a.switches.early_exit) break;
    }
    return parent;
}

void search::bitmap_to_queue() {
    const auto of = static_cast<offset_t>(words);
    offset_t held[most_shares] = {};
    int members = 1;
    parallel::team(
        a.vertices < pull_parallel_from ? 1 : std::min(a.threads, most_shares),
        [&](int size) { members = size; },
        [&](int me, parallel::spin_barrier& barrier) {
            const auto [first, last] = parallel::piece(of, me, members);
            offset_t mine = 0;
            for (offset_t w = first; w < last; ++w) mine += std::popcount(frontier[w]);
            held[me] = mine;
            barrier.wait();
            index_t* to = queue + std::accumulate(held, held + me, offset_t{0});
            for (offset_t w = first; w < last; ++w)
                bits::for_each(frontier[w], w * bits::per_word,
                               [&](offset_t v) { *to++ = static_cast<index_t>(v); });
        });
    queue_valid = true;
}

void search::queue_to_bitmap() {
    queue_valid = false;
    if (a.switches.duplicates) mark_visited();
    if (!a.switches.operand_reuse) queue_to_frontier();
}

void search::queue_to_frontier() {
    std::fill_n(frontier, words, bits::word{0});
    for (offset_t q = 0; q < frontier_size; ++q) bits::set(frontier, queue[q]);
}

// What pushes with duplicates leave to be done: they write levels alone.
void search::mark_visited() {
    parallel::for_pieces(
        a.threads, a.vertices,
        [&](offset_t begin, offset_t end) {
            for (offset_t first = begin; first < end; first += bits::per_word) {
                bits::word word = 0;
                for (offset_t v = first; v < std::min(end, first + bits::per_word); ++v)
                    word |= bits::word{a.levels[v] >= 0} << (v - first);
                visited[first / bits::per_word] = word;
            }
        },
        bits::per_word);
}

void search::count_reached() {
    std::atomic<offset_t> reached{0}, edges{0};
    parallel::for_pieces(a.threads, a.vertices, [&](offset_t begin, offset_t end) {
        traverse_totals mine;
        for (offset_t v = begin; v < end; ++v) {
            if (a.levels[v] < 0) continue;
            ++mine.reached;
            mine.edges += degree(static_cast<index_t>(v));
        }
        reached += mine.reached;
        edges += mine.edges;
    });
    totals = {reached, edges};
}

}  // namespace traversal

traverse_totals push_pull_fused(const traverse_arguments& arguments) {
    return traversal::search(arguments).run();
}

}  // namespace nz::kernels::cpu
