// Levels by push on deep, thin graphs, by one team that stays together until the rule leaves push. A vertex's level
// and parent are one packed word, level in the upper half: a smaller word is an earlier level or, in the same level,
// a smaller parent, so one compare decides both, and unvisited is the largest word. Each thread keeps its finds in a
// segment of its own; a level is split evenly over the segments in order, so that a thread mostly goes on from where
// it was and its lines stay in its cache. Below some entries for each thread thread 0 goes on alone while the others wait. It does so below
// crowded_below for some levels, each time for twice as many, once threads have slept for a while because one did not run: with other work
// on its cores a team of many is hardly ever there together, and a level would take a turn of the scheduler.
// A segment that overflows is no loss: the frontier is read back from the claims whenever the team ends.
// Cost: one pass over the vertices to pack and one to unpack, about 1 ns a vertex; then one barrier a level.
#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>

namespace nz::kernels::cpu::traversal {
namespace {

constexpr std::uint64_t unvisited = ~std::uint64_t{0};
constexpr int most_threads = 64;
constexpr offset_t least_share =
    24;  // queue entries of a thread; two such are about what a barrier of two costs
constexpr offset_t a_thread =
    65536;  // vertices and edges: looked at in some 100 us, in levels that mostly are one thread's
constexpr offset_t crowded_below = 2048;  // theirs is much less than a turn of the scheduler
constexpr std::chrono::nanoseconds patience = std::chrono::milliseconds(1);
constexpr int first_alone = 64, most_alone = 4096;  // levels: the first are about patience's worth
constexpr int entries_ahead = 8;  // queue entries whose neighbours are fetched ahead, offsets twice as far

class deep_push {
public:
    explicit deep_push(search& s) : s_(s) {}

    void prepare(int threads) {
        threads_ = std::min(threads, most_threads);
        solo_below_ =
            least_share * std::max(threads_, 2);  // a barrier takes the longer the more come together
        capacity_ = s_.a.vertices / threads_;
        crowded_below_ =
            std::max(solo_below_, std::min(crowded_below, capacity_ / 2));  // finds fit, as a rule
        for (int t = 0; t < threads_; ++t) {
            segments_[0][t] = {s_.queue + capacity_ * t};
            segments_[1][t] = {s_.next_queue + capacity_ * t};
        }
        segments_[0][0].size = s_.frontier_size;  // the queue as it is, which may reach over several segments
        published_ = {s_.state, {}, 0, s_.totals.reached, s_.depth, 0, false};
    }

    void work(int me, parallel::spin_barrier& barrier) {
        pack(me);
        barrier.wait();
        progress now = published_;
        while (!now.over) {
            if (threads_ == 1 || frontier(now) < (crowded_[now.depth % 2] ? crowded_below_ : solo_below_)) {
                barrier.wait();  // all have seen that the level is thin
                if (me == 0) published_ = go_alone(now);
                barrier.wait();
                now = published_;
            } else if (begin_level(now)) {
                const bool shares = push_share(now, me);
                if (me == 0) look_around(now.depth);
                const auto slept = barrier.wait();
                if (shares && slept.count() > 0 && now.level_size < crowded_below_)
                    slept_.fetch_add(slept.count() / (threads_ - 1), std::memory_order_relaxed);
                end_level(now, me == 0);
            }
        }
        if (me == 0) last_ = now;
        unpack(me, now.depth);
    }

    /// Hands the search back as it stands, its frontier as a bitmap.
    void finish() {
        s_.state = last_.state;
        s_.depth = last_.depth;
        s_.frontier_size = frontier(last_);
        s_.totals.reached = last_.reached;
        s_.frontier_edges = frontier_edges_.load(std::memory_order_relaxed);
        for (int t = 0; t < threads_; ++t) s_.totals.edges += segments_[0][t].edges + segments_[1][t].edges;
        s_.queue_valid = false;
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    /// Every thread keeps its own copy and comes to the same one, so that one barrier a level is enough.
    struct progress {
        plan::direction_state state;
        plan::direction_choice choice;
        offset_t level_size, reached;
        std::int32_t depth;
        int side;  ///< which segments hold the frontier
        bool over;
    };
    struct alignas(64) segment {
        index_t* entries = nullptr;
        offset_t size = 0;   ///< finds; those past the capacity are not kept
        offset_t edges = 0;  ///< of the entries that this segment's thread has pushed
    };

    offset_t frontier(const progress& now) const {
        offset_t size = 0;
        for (int t = 0; t < threads_; ++t) size += segments_[now.side][t].size;
        return size;
    }

    /// False, and over, when no level follows by push.
    bool begin_level(progress& now) const {
        now.level_size = frontier(now);
        if (!now.over && now.level_size > 0 && s_.within_depth(now.depth)) {
            now.choice = s_.choose(now.state, now.level_size, -1, now.depth);
            if (now.choice.next.current == direction::push) {
                now.state = now.choice.next;
                ++now.depth;
                return true;
            }
        }
        now.over = true;
        return false;
    }

    void end_level(progress& now, bool reports) {
        const offset_t left = s_.a.vertices - now.reached;
        now.side ^= 1;
        now.reached += frontier(now);
        for (int t = 0; t < threads_; ++t) now.over |= segments_[now.side][t].size > capacity_;
        now.over |= now.depth >= last_depth_.load(std::memory_order_relaxed);
        if (!reports || failure_) return;
        try {
            s_.report(now.choice, now.level_size, left);
        } catch (
            ...) {  // thrown again once all have left, after the next level: nobody is told of it before its end
            failure_ = std::current_exception();
            last_depth_.store(now.depth + 1, std::memory_order_relaxed);
        }
    }

    /// By thread 0, which alone knows of it until the level's end.
    void look_around(std::int32_t depth) {
        crowded_[depth % 2] = slept_.load(std::memory_order_relaxed) >= patience.count();
        ++together_;
    }

    /// Levels by thread 0 while they are thin, or some more.
    progress go_alone(progress now) {
        int more = 0;
        if (crowded_[now.depth % 2]) {
            if (together_ > 4 * alone_next_) alone_next_ = first_alone;  // it went well for long
            more = alone_next_;
            alone_next_ = std::min(2 * more, most_alone);
            together_ = 0;
        }
        while (!failure_ && (threads_ == 1 || frontier(now) < (more ? crowded_below_ : solo_below_)) &&
               begin_level(now)) {
            for (int t = 0; t < threads_; ++t) segments_[now.side ^ 1][t].size = 0;
            push_entries<false>(now, 0, now.level_size, 0);
            end_level(now, true);
            if (more) --more;
        }
        now.over |= failure_ != nullptr;
        crowded_[0] = crowded_[1] = false;
        slept_.store(0, std::memory_order_relaxed);
        return now;
    }

    /// False for a thread without a share, which waits for the others' however long they are.
    bool push_share(const progress& now, int me) {
        if (me >= threads_) return false;
        const int sharing = static_cast<int>(std::min<offset_t>(threads_, now.level_size / least_share));
        const auto [begin, end] =
            me < sharing ? parallel::piece(now.level_size, me, sharing) : std::pair<offset_t, offset_t>{0, 0};
        push_entries<true>(now, begin, end, me);
        return me < sharing;
    }

    /// Entries [begin, end) of the level, counted over the segments in order.
    template <bool Shared>
    void push_entries(const progress& now, offset_t begin, offset_t end, int me) {
        segment finds = segments_[now.side ^ 1][me];
        finds.size = 0;
        for (int t = 0; t < threads_ && end > 0; ++t) {
            const segment& from = segments_[now.side][t];
            if (begin < from.size)
                push_run<Shared>(from.entries + begin, std::min(end, from.size) - begin, now.depth, finds);
            begin = std::max<offset_t>(0, begin - from.size);
            end -= from.size;
        }
        segments_[now.side ^ 1][me] = finds;
    }

    template <bool Shared>
    void push_run(const index_t* entries, offset_t count, std::int32_t depth, segment& finds) {
        const offset_reader offsets = s_.a.out_offsets;
        const index_t* const neighbours = s_.a.out_neighbours;
        const bool* const values = s_.a.switches.structure_only ? nullptr : s_.a.out_values;
        std::uint64_t* const packed = s_.packed;
        const std::uint64_t level = std::uint64_t{static_cast<std::uint32_t>(depth)} << 32;
        offset_t size = finds.size, edges = finds.edges;
        for (offset_t q = 0; q < count; ++q) {
            if (q + 2 * entries_ahead < count) offsets.prefetch(entries[q + 2 * entries_ahead]);
            if (q + entries_ahead < count)
                __builtin_prefetch(neighbours + offsets[entries[q + entries_ahead]]);
            const index_t u = entries[q];
            const std::uint64_t mine = level | static_cast<std::uint32_t>(u);
            const offset_t begin = offsets[u], end = offsets[u + offset_t{1}];
            edges += end - begin;
            for (offset_t k = begin; k < end; ++k) {
                const index_t v = neighbours[k];
                if (values && !values[k]) continue;
                if (!claim<Shared>(packed[v], mine)) continue;
                if (size < capacity_) finds.entries[size] = v;
                ++size;
            }
        }
        finds.size = size;
        finds.edges = edges;
    }

    /// True for the one call that finds the vertex.
    template <bool Shared>
    static bool claim(std::uint64_t& word, std::uint64_t mine) {
        if constexpr (Shared) {
            const std::atomic_ref shared(word);
            std::uint64_t seen = shared.load(std::memory_order_relaxed);
            while (mine < seen)
                if (shared.compare_exchange_weak(seen, mine, std::memory_order_relaxed))
                    return seen == unvisited;
            return false;
        } else {
            const std::uint64_t seen = word;
            if (mine >= seen) return false;
            word = mine;
            return seen == unvisited;
        }
    }

    void pack(int me) {
        if (me >= threads_) return;
        const auto [begin, end] = parallel::piece(s_.a.vertices, me, threads_, bits::per_word);
        for (offset_t v = begin; v < end; ++v) {
            const std::uint64_t parent = s_.a.parents ? static_cast<std::uint32_t>(s_.a.parents[v]) : 0;
            s_.packed[v] = s_.a.levels[v] < 0
                               ? unvisited
                               : std::uint64_t{static_cast<std::uint32_t>(s_.a.levels[v])} << 32 | parent;
        }
    }

    void unpack(int me, std::int32_t depth) {
        if (me >= threads_) return;
        const auto [begin, end] = parallel::piece(s_.a.vertices, me, threads_, bits::per_word);
        offset_t edges = 0;
        for (offset_t first = begin; first < end; first += bits::per_word) {
            bits::word reached = 0, last = 0;
            for (offset_t v = first; v < std::min(end, first + bits::per_word); ++v) {
                const auto level = static_cast<std::int32_t>(s_.packed[v] >> 32);
                s_.a.levels[v] = level;
                if (s_.a.parents) s_.a.parents[v] = static_cast<std::int32_t>(s_.packed[v]);
                reached |= bits::word{level >= 0} << (v - first);
                last |= bits::word{level == depth} << (v - first);
            }
            s_.visited[first / bits::per_word] = reached;
            s_.frontier[first / bits::per_word] = last;
            bits::for_each(last, first, [&](offset_t v) { edges += s_.degree(static_cast<index_t>(v)); });
        }
        frontier_edges_.fetch_add(edges, std::memory_order_relaxed);
    }

    search& s_;
    int threads_ = 1;
    offset_t capacity_ = 0;       // finds that a segment keeps
    offset_t solo_below_ = 0;     // entries of a level that thread 0 takes alone
    offset_t crowded_below_ = 0;  // entries of a level that thread 0 takes alone where others do not run
    segment segments_[2][most_threads];
    progress published_{}, last_{};  // what thread 0 tells the others; where the team ended
    std::exception_ptr failure_;     // thread 0's
    std::atomic<std::int32_t> last_depth_ = std::numeric_limits<std::int32_t>::max();
    std::atomic<std::int64_t> slept_{0};  // nanoseconds that a thread waited for others that did not run
    bool crowded_[2] = {};          // what thread 0 saw of it before a level's end, by the level's parity
    int alone_next_ = first_alone;  // levels that thread 0 takes alone when that is seen again
    int together_ = 0;              // levels that the team shared since
    std::atomic<offset_t> frontier_edges_{0};
};

}  // namespace

void push_deep(search& s) {
    deep_push levels(s);
    parallel::team(
        parallel::threads_for(s.a.threads, s.a.vertices + s.a.out_offsets[s.a.vertices], a_thread),
        [&](int size) { levels.prepare(size); },
        [&](int me, parallel::spin_barrier& barrier) { levels.work(me, barrier); }, s.a.threads);
    levels.finish();
}

}  // namespace nz::kernels::cpu::traversal
