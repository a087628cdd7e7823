// traverse_many/bit_parallel: breadth-first searches from up to 64 sources at once, bit s of a vertex's word for source
// s, so that one look at an edge serves all (Then et al., "The more the merrier", VLDB 2014).
//
// A level has two phases. The first collects in next(v) the sources that reach v now:
//   push: every vertex u of the frontier gives its new bits to next(v) of its out-neighbours that lack them.
//   pull: every vertex that lacks bits takes them from its in-neighbours until none is missing. It reads seen(u), which
//     does not change in this phase: a bit that u has and v lacks came to u in the level before, or v would have it.
//     Bits whose frontier has died out are not asked for: a source in a small component would keep every row from
//     ending early. Nor are those of slow sources, which are few and hard to find: they are pushed beside the pull.
// The second, the sweep, moves next into seen, counts, lists the frontier, and notes levels as binary digits
// (common_levels.hpp). A mark for each 64 vertices tells it where next is not empty. Sums of a vertex are added to there:
// depth and the number of its new bits are all they need.
// Who owns what: pull and sweep: a thread alone has a chunk of vertices. Push: where rows are long each thread takes
//   ranges of targets, found in every row by bisection, so that words change without atomic operations and lie in
//   its cache; where rows are short threads share the rows and set bits by atomic or.
// Synchronisation: a join after each phase; levels of little work are done by one thread.
// Memory: three words a vertex, six more where levels are wanted, a queue and the marks (plan::bit_parallel_workspace).
// Determinism: levels and counts are the same for any number of threads; the order of the queue is not.
// Cost: push: frontier edges * (read, change of a word). Pull: vertices, and in-neighbours of those that lack bits up to
//   the last missing bit: few once most bits are set. Levels: 4 bytes a source and vertex.
// Distance to the limit: docs/measurements/bfs.md.
// Why single searches were not enough: each looks at the same edges again.
#include "kernels/cpu/traverse_many/bit_parallel.hpp"

#include "core/parallel.hpp"
#include "kernels/cpu/traverse_many/common_levels.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace nz::kernels::cpu {
namespace many {
namespace {

using bits::word;

constexpr offset_t parallel_from = 4096;       // frontier edges: their work is some joins
constexpr offset_t parallel_vertices = 65536;  // below, a pull is done by one thread
constexpr offset_t turn = 4096;                // vertices that a thread takes at a time: 64 marks, one line
constexpr offset_t range_vertices = 65536;     // targets of a range: two words each fill a mebibyte of cache
constexpr offset_t range_edges = 16;           // edges a row and range that make up for the bisection
constexpr offset_t turn_rows = 256;            // rows of the frontier that a thread takes at a time
constexpr int rows_ahead = 8;                  // whose neighbours are fetched ahead, offsets twice as far
constexpr std::size_t local_block = 1024;      // finds a thread gathers before it takes room in the queue

/// How often each of 64 bits was set in words added: column sums as binary digits. Words go in by eights through full
/// adders (five operations a word), without a branch that depends on them.
class column_counts {
public:
    void add(word w) {
        held_[count_++] = w;
        if (count_ < 8) return;
        count_ = 0;
        word fours[2];
        for (int half = 0; half < 2; ++half) {
            const word* const four = held_ + 4 * half;
            const word low = full_add(0, four[0], four[1]), high = full_add(0, four[2], four[3]);
            fours[half] = full_add(1, low, high);
        }
        carry(3, full_add(2, fours[0], fours[1]));
    }
    /// The last call.
    void add_to(offset_t (&counts)[bits::per_word]) {
        while (count_) carry(0, held_[--count_]);
        for (int k = 0; k < most; ++k)
            bits::for_each(digits_[k], 0, [&](offset_t s) { counts[s] += offset_t{1} << k; });
    }

private:
    /// Adds two words to digit k; returns what is carried.
    word full_add(int k, word x, word y) {
        const word either = digits_[k] ^ x, carried = (digits_[k] & x) | (either & y);
        digits_[k] = either ^ y;
        return carried;
    }
    void carry(int k, word w) {
        for (; w; ++k) {
            const word next = digits_[k] & w;
            digits_[k] ^= w;
            w = next;
        }
    }

    static constexpr int most = 32;  // as many words as there can be vertices
    word digits_[most] = {}, held_[8];
    int count_ = 0;
};

/// What a sweep found.
struct finds {
    offset_t vertices = 0, pairs = 0, edges = 0, pair_edges = 0, closed_edges = 0;
    word sources = 0;
    offset_t pairs_of[plan::batch_sources] = {};

    void add(const finds& f) {
        vertices += f.vertices;
        pairs += f.pairs;
        edges += f.edges;
        pair_edges += f.pair_edges;
        closed_edges += f.closed_edges;
        sources |= f.sources;
        for (int s = 0; s < plan::batch_sources; ++s) pairs_of[s] += f.pairs_of[s];
    }
};

class search {
public:
    explicit search(const traverse_many_arguments& arguments);
    traverse_many_totals run();

private:
    offset_t degree(const offset_reader& offsets, index_t v) const {
        return offsets[v + offset_t{1}] - offsets[v];
    }
    plan::many_choice choose() const;
    void initialise();
    void push();
    word slow_sources() const;
    template <bool Shared>
    void push_rows(offset_t begin, offset_t end);
    template <bool Shared>
    void push_slow(offset_t begin, offset_t end, word slow);
    template <bool Shared>
    void push_row(index_t u, word mine);
    void push_range(index_t low, index_t high);
    template <bool Shared>
    void give(index_t v, word found);
    void pull();
    void pull_vertices(offset_t begin, offset_t end, word wanted);
    void take(index_t v, offset_t begin, offset_t end, word wanted);
    void sweep(int threads);
    class sweeper;

    const traverse_many_arguments& a;
    const index_t n;
    word *seen_, *next_, *frontier_;
    level_digits digits_;
    index_t* queue_;
    unsigned char* marks_;
    std::int32_t depth_ = 0;
    word active_;  // sources whose frontiers are not empty
    finds now_;
    offset_t open_edges_;
    traverse_many_totals totals_;
};

word* digits_of(const traverse_many_arguments& a, word* words) {
    return words + 3 * static_cast<offset_t>(plan::padded(static_cast<std::size_t>(a.vertices) * 8) / 8);
}

search::search(const traverse_many_arguments& arguments)
    : a(arguments),
      n(arguments.vertices),
      digits_(digits_of(arguments, static_cast<word*>(arguments.workspace)), arguments),
      active_(bits::valid(static_cast<offset_t>(arguments.sources.size()), 0)),
      open_edges_(arguments.nnz) {
    plan::workspace_parts memory(a.workspace);
    for (word** words : {&seen_, &next_, &frontier_}) *words = memory.take<word>(n);
    if (a.levels)
        for (int k = 0; k < plan::level_digits; ++k) memory.take<word>(n);
    queue_ = memory.take<index_t>(n);
    marks_ = memory.take<unsigned char>(n / plan::cpu_mark_vertices + 1);
}

traverse_many_totals search::run() {
    initialise();
    while (now_.vertices > 0 && (a.max_depth < 0 || depth_ < a.max_depth)) {
        const plan::many_choice choice = choose();
        const finds frontier = now_;
        const bool pushes = choice.direction == direction::push;
        const int pushed = pushes ? static_cast<int>(a.sources.size()) : std::popcount(slow_sources());
        const bool alone = pushes && frontier.edges < parallel_from;
        ++depth_;
        if (a.levels) digits_.begin_level(a.threads);
        pushes ? push() : pull();
        sweep(alone || n < parallel_vertices ? 1 : a.threads);
        if (a.levels && digits_.full()) digits_.write(seen_, a.threads);
        if (a.on_level)
            a.on_level(a.receiver, {0, choice.direction, frontier.vertices, frontier.pairs, frontier.edges,
                                    pushed, choice.reason});
    }
    if (a.levels) digits_.write(seen_, a.threads);
    return totals_;
}

plan::many_choice search::choose() const {
    if (static_cast<std::size_t>(depth_) < a.schedule.size())
        return {a.schedule[static_cast<std::size_t>(depth_)], "as scheduled"};
    return plan::choose_many_direction({n, now_.edges, open_edges_}, a.costs);
}

void search::initialise() {
    parallel::for_pieces(a.threads, n, [&](offset_t begin, offset_t end) {
        std::fill(seen_ + begin, seen_ + end, word{0});
        std::fill(next_ + begin, next_ + end, word{0});
    });
    std::fill_n(marks_, plan::padded(static_cast<std::size_t>(n / plan::cpu_mark_vertices + 1)),
                static_cast<unsigned char>(0));
    for (std::size_t s = 0; s < a.sources.size(); ++s) give<false>(a.sources[s], word{1} << s);
    sweep(1);
}

template <bool Shared>
void search::give(index_t v, word found) {
    unsigned char& mark = marks_[v / plan::cpu_mark_vertices];
    if constexpr (Shared) {
        if (!found) return;
        const std::atomic_ref next(next_[v]);
        if (found & ~next.load(std::memory_order_relaxed)) next.fetch_or(found, std::memory_order_relaxed);
        std::atomic_ref(mark).store(1, std::memory_order_relaxed);
    } else {
        next_[v] |= found;
        mark |= found != 0;
    }
}

void search::push() {
    const int threads = now_.edges < parallel_from ? 1 : a.threads;
    const offset_t ranges = std::max<offset_t>((n + range_vertices - 1) / range_vertices, 4 * threads);
    if (now_.edges < now_.vertices * ranges * range_edges) {
        parallel::for_chunks(threads, now_.vertices, turn_rows, [&](offset_t begin, offset_t end) {
            threads == 1 ? push_rows<false>(begin, end) : push_rows<true>(begin, end);
        });
        return;
    }
    // Boundaries between marks, so that a range's marks are its own.
    const offset_t grain = ((n + ranges - 1) / ranges + plan::cpu_mark_vertices - 1) /
                           plan::cpu_mark_vertices * plan::cpu_mark_vertices;
    parallel::for_chunks(threads, n, grain, [&](offset_t low, offset_t high) {
        push_range(static_cast<index_t>(low), static_cast<index_t>(high));
    });
}

template <bool Shared>
void search::push_row(index_t u, word mine) {
    const offset_t last = a.out_offsets[u + offset_t{1}];
    for (offset_t k = a.out_offsets[u]; k < last; ++k) {
        const index_t v = a.out_neighbours[k];
        give<Shared>(v, mine & ~seen_[v]);
    }
}

template <bool Shared>
void search::push_rows(offset_t begin, offset_t end) {
    for (offset_t q = begin; q < end; ++q) {
        if (q + 2 * rows_ahead < end) a.out_offsets.prefetch(queue_[q + 2 * rows_ahead]);
        if (q + rows_ahead < end)
            __builtin_prefetch(a.out_neighbours + a.out_offsets[queue_[q + rows_ahead]]);
        push_row<Shared>(queue_[q], frontier_[queue_[q]]);
    }
}

template <bool Shared>
void search::push_slow(offset_t begin, offset_t end, word slow) {
    for (offset_t q = begin; q < end; ++q)
        if (const word mine = frontier_[queue_[q]] & slow) push_row<Shared>(queue_[q], mine);
}

void search::push_range(index_t low, index_t high) {
    for (offset_t q = 0; q < now_.vertices; ++q) {
        const index_t u = queue_[q];
        const word mine = frontier_[u];
        const index_t* const last = a.out_neighbours + a.out_offsets[u + offset_t{1}];
        const index_t* k = std::lower_bound(a.out_neighbours + a.out_offsets[u], last, low);
        for (; k < last && *k < high; ++k) give<false>(*k, mine & ~seen_[*k]);
    }
}

word search::slow_sources() const {
    word slow = 0;
    for (int s = 0; s < plan::batch_sources; ++s)
        slow |= word{plan::is_slow(now_.pairs_of[s], n, a.costs)} << s;
    return slow;
}

void search::pull() {
    const int threads = n < parallel_vertices ? 1 : a.threads;
    const word slow = slow_sources();
    if (slow)
        parallel::for_chunks(threads, now_.vertices, turn_rows, [&](offset_t begin, offset_t end) {
            threads == 1 ? push_slow<false>(begin, end, slow) : push_slow<true>(begin, end, slow);
        });
    parallel::for_chunks(threads, n, turn,
                         [&](offset_t begin, offset_t end) { pull_vertices(begin, end, active_ & ~slow); });
}

void search::pull_vertices(offset_t begin, offset_t end, word wanted) {
    constexpr offset_t list = 1024;
    constexpr offset_t ahead = 16;  // listed vertices ahead whose neighbours are fetched
    constexpr offset_t near =
        6;  // ... and the words of their first neighbours: rows end at a branch that waits
    constexpr offset_t words_ahead = 4;  // for one of those and is mispredicted
    struct {
        index_t vertex;
        offset_t begin, end;
    } open[list];
    for (; begin < end; begin += list) {
        // Without a branch on empty rows and on full words, which would go wrong for every third vertex.
        offset_t count = 0;
        for (offset_t v = begin; v < std::min(end, begin + list); ++v) {
            open[count] = {static_cast<index_t>(v), a.in_offsets[v], a.in_offsets[v + 1]};
            count += (open[count].begin < open[count].end) & ((wanted & ~seen_[v]) != 0);
        }
        for (offset_t i = 0; i < count; ++i) {
            if (i + ahead < count) __builtin_prefetch(a.in_neighbours + open[i + ahead].begin);
            if (i + near < count)
                for (offset_t k = 0; k < words_ahead; ++k)
                    __builtin_prefetch(
                        seen_ + a.in_neighbours[std::min(open[i + near].begin + k, open[i + near].end - 1)]);
            take(open[i].vertex, open[i].begin, open[i].end, wanted);
        }
    }
}

void search::take(index_t v, offset_t begin, offset_t end, word wanted) {
    const word missing = wanted & ~seen_[v];
    word found = 0;
    for (offset_t k = begin; k < end; ++k) {
        found |= seen_[a.in_neighbours[k]];
        if (!(missing & ~found)) break;
    }
    found &= missing;
    if (found) give<false>(v, found);
}

/// One thread's part of a sweep.
class search::sweeper {
public:
    sweeper(search& s, std::atomic<offset_t>& room) : s_(s), room_(room) {}

    void chunk(offset_t begin, offset_t end) {
        constexpr offset_t marked = plan::cpu_mark_vertices;
        const unsigned char* const line = s_.marks_ + begin / marked;  // padded to whole lines
        unsigned char any = 0;
        for (offset_t i = 0; i < turn / marked; ++i) any |= line[i];
        if (!any) return;
        for (offset_t first = begin; first < end; first += marked) {
            unsigned char& mark = s_.marks_[first / marked];
            if (!mark) continue;
            mark = 0;
            // A list first: a branch on every vertex would go wrong for many.
            index_t list[marked];
            int count = 0;
            for (offset_t v = first; v < std::min(end, first + marked); ++v) {
                list[count] = static_cast<index_t>(v);
                count += s_.next_[v] != 0;
            }
            for (int i = 0; i < count; ++i) vertex(list[i], s_.next_[list[i]]);
        }
    }
    void flush() {
        const offset_t at = room_.fetch_add(static_cast<offset_t>(held_), std::memory_order_relaxed);
        std::copy_n(block_, held_, s_.queue_ + at);
        held_ = 0;
    }
    finds found;
    column_counts columns;

private:
    void vertex(index_t v, word fresh) {
        s_.next_[v] = 0;
        const word seen = s_.seen_[v] |= fresh;
        s_.frontier_[v] = fresh;
        if (s_.a.levels) s_.digits_.set(v, fresh);
        columns.add(fresh);
        const offset_t degree = s_.degree(s_.a.out_offsets, v);
        const int pairs = std::popcount(fresh);
        ++found.vertices;
        found.pairs += pairs;
        found.edges += degree;
        found.pair_edges += pairs * degree;
        found.sources |= fresh;
        if (s_.a.of_vertices.reached) s_.a.of_vertices.add(v, pairs, s_.depth_);
        if (!(s_.active_ & ~seen))
            found.closed_edges +=
                s_.a.in_neighbours == s_.a.out_neighbours ? degree : s_.degree(s_.a.in_offsets, v);
        if (held_ == local_block) flush();
        block_[held_++] = v;
    }

    search& s_;
    std::atomic<offset_t>& room_;
    std::size_t held_ = 0;
    index_t block_[local_block];
};

void search::sweep(int threads) {
    std::atomic<offset_t> room{0}, next{0};
    std::mutex merging;
    finds all;
    parallel::run(threads, [&](int, int) {
        sweeper mine(*this, room);
        for (offset_t begin; (begin = next.fetch_add(turn, std::memory_order_relaxed)) < n;)
            mine.chunk(begin, std::min<offset_t>(n, begin + turn));
        mine.flush();
        const std::lock_guard lock(merging);
        all.add(mine.found);
        mine.columns.add_to(all.pairs_of);
    });
    now_ = all;
    for (int s = 0; s < plan::batch_sources; ++s) {
        totals_.reached[s] += all.pairs_of[s];
        totals_.level_sums[s] += all.pairs_of[s] * depth_;
        if (all.pairs_of[s] > 0) totals_.depths[s] = depth_;
    }
    active_ = all.sources;
    open_edges_ -= all.closed_edges;
    totals_.edges += all.pair_edges;
}

}  // namespace
}  // namespace many

traverse_many_totals bit_parallel(const traverse_many_arguments& arguments) {
    return many::search(arguments).run();
}

}  // namespace nz::kernels::cpu
