// shortest/delta_stepping on a CPU: single-source shortest paths, vertices nearer than a bound first (Meyer and Sanders'
// delta-stepping, with the buckets beyond the present one kept as one: the near-far form that yang2015 leaves open).
//
// A round relaxes the edges of the vertices in the near list; each vertex whose distance falls is appended, with that
// distance, to the next near list or, beyond the bound, to the far list. An entry counts only while its distance is
// the vertex's: what has fallen since has an entry of its own. When the near list is empty the far list is split by a
// bound raised by delta; the first few bounds lie closer together (plan::delta_first_share).
// Owners: a team that stays together; entries are handed out 64 at a time, so that hubs do not leave a thread behind;
//   each thread appends to its own share of the next lists, and takes from that first. While lists are shorter than
//   some entries for each thread, thread 0 goes on alone and the others wait: a barrier of many, some of which may not run, costs more.
// Memory: four lists and one word a vertex (plan::shortest_workspace), the distance that it was last relaxed from. Where
//   a share is full an entry is dropped: the vertex's distance is then below that word, and a pass over all vertices
//   finds it again.
// Synchronises: one spin barrier a round, two where the bound is raised or thread 0 goes alone for some rounds; whoever wants to end the search is asked by one thread; distances fall by compare-and-swap.
// Determinism: the distances are the one least fixed point (adding is monotone, also in floating point); rounds and
//   relaxations vary with the timing.
// Edges: where the caller has joined them with their lengths, a row of few is one line, not two; else they lie apart.
// Cost: edges of reached vertices * (1 + those relaxed again), a scattered read each; docs/measurements/graphs.md.
// Why Dijkstra's heap was not enough: it is one thread's, and its log factor is a chain of misses.
#include "kernels/cpu/shortest/delta_stepping.hpp"

#include "core/parallel.hpp"
#include "kernels/cpu/shortest/common_parents.hpp"
#include "plan/workspace.hpp"
#include "storage/joined_edges.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t entries_at_a_time = 64;
constexpr offset_t a_thread = 16384;    // vertices and edges: looked at in some 50 us, some more than once
constexpr offset_t solo_a_thread = 32;  // entries of a list, of two threads one's turn
constexpr offset_t vertices_at_a_time = 4096;
constexpr offset_t entries_ahead = 8;  // whose offsets are on their way
constexpr offset_t rows_ahead = 4;     // whose edges are
constexpr offset_t first_ahead = 2;    // the first of whose ends' distances are
constexpr auto between_calls = std::chrono::milliseconds(50);
constexpr offset_t ends_ahead = 8;  // edges of a row whose ends' distances are, and how many are the first

/// Ends and lengths of edges in arrays of their own.
template <class Weight>
struct apart_edges {
    const index_t* ends;
    const Weight* lengths;
    offset_t stride;  ///< 0: one length for all

    explicit apart_edges(const shortest_arguments& a)
        : ends(a.neighbours), lengths(static_cast<const Weight*>(a.weights)), stride(a.one_weight ? 0 : 1) {}
    index_t end(offset_t k) const { return ends[k]; }
    Weight length(offset_t k) const { return lengths[stride * k]; }
    void prefetch(offset_t k) const {
        __builtin_prefetch(ends + k);
        if (stride) __builtin_prefetch(lengths + k);
    }
};

/// Each length beside its end.
template <class Weight>
struct joined_edges {
    const storage::weighted_edge<Weight>* edges;

    explicit joined_edges(const shortest_arguments& a)
        : edges(static_cast<const storage::weighted_edge<Weight>*>(a.edges)) {}
    index_t end(offset_t k) const { return static_cast<index_t>(edges[k].target); }
    Weight length(offset_t k) const { return edges[k].length; }
    void prefetch(offset_t k) const { __builtin_prefetch(edges + k); }
};

template <class Weight, class Edges>
class stepping {
public:
    explicit stepping(const shortest_arguments& a)
        : a_(a), edges_(a), members_(static_cast<std::size_t>(a.threads)), cursors_(members_.size()) {
        plan::workspace_parts memory(a.workspace);
        distance_ = static_cast<key*>(a.distances);
        done_ = memory.take<key>(a.vertices);
        for (entry** list : {&near_[0], &near_[1], &far_[0], &far_[1]})
            *list = memory.take<entry>(a.list_capacity);
    }

    shortest_report run() {
        parallel::team(
            parallel::threads_for(a_.threads, a_.vertices + a_.offsets[a_.vertices], a_thread),
            [&](int size) { form(size); }, [&](int t, parallel::spin_barrier& all) { work(t, all); },
            a_.threads);
        if (failure_) std::rethrow_exception(failure_);
        shortest_report report{0, rounds_, buckets_, 0};
        for (const member& m : members_) {
            report.relaxations += static_cast<std::uint64_t>(m.relaxations);
            report.dropped |= m.dropped;
        }
        return report;
    }

private:
    using clock = std::chrono::steady_clock;
    using length = path_length<Weight>;
    using key = typename length::key;
    struct entry {
        index_t vertex;
        key distance;
    };
    struct alignas(64) member {
        offset_t near[2] = {0, 0}, far[2] = {0, 0};  // entries in its shares
        key smallest = length::unreached;            // beyond the bound, at the last split
        offset_t relaxations = 0;
        bool lost = false, dropped = false;
    };
    /// What of a member's shares is handed out, in three steps after each other.
    struct alignas(64) cursor {
        std::atomic<offset_t> next[3] = {0, 0, 0};
    };
    /// Members that one thread stands for: itself, or all while it is alone.
    struct crew {
        int thread, first, last;
        parallel::spin_barrier* all;
        void wait() const {
            if (all) all->wait();
        }
    };
    /// Where a member stands; all hold the same.
    struct progress {
        int near = 0, far = 0, step = 0;  // sides of the lists; which cursor
        key bound = 0;
        double delta = 0;
        std::uint64_t rounds = 0;
    };

    void form(int size) {
        members_.resize(static_cast<std::size_t>(size));
        share_ = a_.list_capacity / size;
        solo_below_ = solo_a_thread * size;
        near_[0][0] = {a_.source, 0};
        members_[0].near[0] = 1;
    }

    void work(int t, parallel::spin_barrier& all) {
        const auto [begin, end] = parallel::piece(a_.vertices, t, static_cast<int>(members_.size()));
        std::fill(distance_ + begin, distance_ + end, length::unreached);
        std::fill(done_ + begin, done_ + end, length::unreached);
        if (a_.source >= begin && a_.source < end) distance_[a_.source] = 0;
        progress p;
        p.delta = a_.first_delta;
        p.bound = length::bound(0, delta_as<Weight>(p.delta));
        all.wait();
        const crew own{t, t, t + 1, &all}, everybody{0, 0, static_cast<int>(members_.size()), nullptr};
        while (true) {
            if (members_.size() == 1 || !is_thin(p)) {
                if (!go_on(p, own)) return;
                continue;
            }
            all.wait();  // all have seen that lists are thin
            if (t == 0) {
                ends_ = false;
                while (!ends_ && is_thin(p)) ends_ = !go_on(p, everybody);
                alone_ = p;
            }
            all.wait();
            p = alone_;
            if (ends_) return;
        }
    }

    /// Whether what comes next, a round or a raised bound, is for one thread.
    bool is_thin(const progress& p) const {
        const offset_t near = sum(&member::near, p.near);
        if (near > 0) return near < solo_below_;
        return sum(&member::far, p.far) < solo_below_ && std::ranges::none_of(members_, &member::lost);
    }

    /// A round, or a bound raised where none is near. False when the search ends.
    bool go_on(progress& p, const crew& own) {
        if (sum(&member::near, p.near) == 0) return raise(p, own);
        ++p.rounds;
        if (own.thread == 0) tell(p.rounds);
        for_members(own, [&](member& m) { m.near[p.near ^ 1] = 0; });
        relax(own.thread, p);
        p.near ^= 1;
        step(p, own);
        return p.rounds < last_round_.load(std::memory_order_relaxed);
    }

    template <class F>
    void for_members(const crew& own, F&& f) {
        for (int m = own.first; m < own.last; ++m) f(members_[static_cast<std::size_t>(m)]);
    }

    /// Of thread 0. All leave after the round in which the call fails: one that is still at the barrier before it goes on to that round.
    void tell(std::uint64_t rounds) {
        rounds_ = rounds;
        if (!a_.on_rounds) return;
        const auto now = clock::now();
        if (now - told_ < between_calls) return;
        told_ = now;
        try {
            a_.on_rounds(a_.receiver, rounds);
        } catch (...) {
            failure_ = std::current_exception();
            last_round_.store(rounds, std::memory_order_relaxed);
        }
    }

    void step(progress& p, const crew& own) {
        for (int m = own.first; m < own.last; ++m)
            cursors_[static_cast<std::size_t>(m)].next[(p.step + 2) % 3].store(0, std::memory_order_relaxed);
        p.step = (p.step + 1) % 3;
        own.wait();
    }

    offset_t sum(offset_t (member::*count)[2], int side) const {
        offset_t total = 0;
        for (const member& m : members_) total += (m.*count)[side];
        return total;
    }

    /// f(first, last) over the shares of a list, a few entries at a time: first of this member's own, whose vertices and their
    /// neighbours its cache holds, then of the others'.
    template <class F>
    void for_entries(int t, const entry* list, offset_t (member::*count)[2], int side, int step, F&& f) {
        const std::size_t size = members_.size();
        for (std::size_t n = 0; n < size; ++n) {
            const std::size_t m = (static_cast<std::size_t>(t) + n) % size;
            const entry* const share = list + static_cast<offset_t>(m) * share_;
            const offset_t entries = (members_[m].*count)[side];
            std::atomic<offset_t>& next = cursors_[m].next[step];
            while (next.load(std::memory_order_relaxed) < entries) {
                const offset_t first = next.fetch_add(entries_at_a_time, std::memory_order_relaxed);
                if (first >= entries) break;
                f(share + first, share + std::min(entries, first + entries_at_a_time));
            }
        }
    }

    void relax(int t, const progress& p) {
        member& me = members_[static_cast<std::size_t>(t)];
        for_entries(t, near_[p.near], &member::near, p.near, p.step, [&](const entry* e, const entry* last) {
            for (const entry* q = e; q < std::min(last, e + entries_ahead); ++q) prefetch(*q);
            for (; e < last; ++e) {
                if (e + entries_ahead < last) prefetch(e[entries_ahead]);
                if (e + rows_ahead < last) prefetch_row(e[rows_ahead]);
                if (e + first_ahead < last) prefetch_ends(e[first_ahead]);
                if (seen(e->vertex) == e->distance) relax_row(t, me, p, *e);
            }
        });
    }

    void prefetch(const entry& e) const {
        __builtin_prefetch(distance_ + e.vertex);
        a_.offsets.prefetch(e.vertex);
    }
    void prefetch_row(const entry& e) const { edges_.prefetch(a_.offsets[e.vertex]); }

    void prefetch_ends(const entry& e) const {
        const offset_t begin = a_.offsets[e.vertex], end = a_.offsets[e.vertex + offset_t{1}];
        for (offset_t k = begin; k < std::min(end, begin + ends_ahead); ++k)
            __builtin_prefetch(distance_ + edges_.end(k));
    }

    void relax_row(int t, member& me, const progress& p, const entry& e) {
        done_[e.vertex] = e.distance;
        const Edges edges = edges_;
        const offset_t begin = a_.offsets[e.vertex], end = a_.offsets[e.vertex + offset_t{1}];
        me.relaxations += end - begin;
        for (offset_t k = begin; k < end; ++k) {
            if (k + ends_ahead < end) __builtin_prefetch(distance_ + edges.end(k + ends_ahead));
            const index_t v = edges.end(k);
            const key through = length::add(e.distance, edges.length(k));
            key now = seen(v);
            if (through >= now) {
                me.dropped |= through == length::unreached;
                continue;
            }
            std::atomic_ref<key> distance(distance_[v]);
            while (!distance.compare_exchange_weak(now, through, std::memory_order_relaxed))
                if (through >= now) break;
            if (through < now) keep(t, me, p, {v, through});
        }
    }

    void keep(int t, member& me, const progress& p, const entry& e) {
        const bool near = e.distance < p.bound;
        offset_t& count = near ? me.near[p.near ^ 1] : me.far[p.far];
        entry* const list = near ? near_[p.near ^ 1] : far_[p.far];
        if (count < share_)
            list[static_cast<offset_t>(t) * share_ + count++] = e;
        else
            me.lost = true;
    }

    /// Fills the near list anew under a higher bound; false when nothing is left to relax.
    bool raise(progress& p, const crew& own) {
        const int t = own.thread;
        member& me = members_[static_cast<std::size_t>(t)];
        key from = p.bound;
        while (true) {
            const bool sweeps = std::ranges::any_of(members_, &member::lost);
            if (!sweeps && sum(&member::far, p.far) == 0) return false;
            own.wait();  // all have read what is changed now
            if (t == 0) ++buckets_;
            p.delta = std::min(a_.delta, 1.5 * p.delta);
            p.bound = length::bound(from, delta_as<Weight>(p.delta));
            progress into = p;
            into.near ^= 1;  // keep() appends to the other side
            into.far ^= 1;
            for_members(own, [&](member& m) {
                m.lost = false;
                m.near[p.near] = m.far[into.far] = 0;
                m.smallest = length::unreached;
            });
            sweeps ? sweep(t, me, into) : split(t, me, p, into);
            p.far ^= 1;
            step(p, own);
            if (sum(&member::near, p.near) > 0) return true;
            from = smallest();
        }
    }

    key smallest() const {
        key least = length::unreached;
        for (const member& m : members_) least = std::min(least, m.smallest);
        return least;
    }

    void split(int t, member& me, const progress& p, const progress& into) {
        for_entries(t, far_[p.far], &member::far, p.far, p.step, [&](const entry* e, const entry* last) {
            for (; e < last; ++e) {
                if (seen(e->vertex) != e->distance) continue;
                if (e->distance >= into.bound) me.smallest = std::min(me.smallest, e->distance);
                keep(t, me, into, *e);
            }
        });
    }

    void sweep(int t, member& me, const progress& into) {
        std::atomic<offset_t>& next = cursors_[0].next[into.step];
        for (offset_t begin; (begin = next.fetch_add(vertices_at_a_time)) < a_.vertices;)
            for (offset_t v = begin; v < std::min<offset_t>(a_.vertices, begin + vertices_at_a_time); ++v) {
                if (distance_[v] >= done_[v]) continue;
                if (distance_[v] >= into.bound) me.smallest = std::min(me.smallest, distance_[v]);
                keep(t, me, into, {static_cast<index_t>(v), distance_[v]});
            }
    }

    key seen(index_t v) const { return std::atomic_ref<key>(distance_[v]).load(std::memory_order_relaxed); }

    const shortest_arguments& a_;
    const Edges edges_;
    key *distance_, *done_;
    entry *near_[2], *far_[2];
    offset_t share_ = 0;
    std::vector<member> members_;
    std::vector<cursor> cursors_;
    std::uint64_t rounds_ = 0, buckets_ = 0;
    offset_t solo_below_ = 0;
    progress alone_;     // where thread 0 has come to alone
    bool ends_ = false;  // ... and whether that was the end
    clock::time_point told_ = clock::now();
    std::exception_ptr failure_;
    std::atomic<std::uint64_t> last_round_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

shortest_report delta_stepping(const shortest_arguments& a) {
    const shortest_report report = with_weight(a.type, [&]<class Weight>(std::type_identity<Weight>) {
        return a.edges ? stepping<Weight, joined_edges<Weight>>(a).run()
                       : stepping<Weight, apart_edges<Weight>>(a).run();
    });
    if (a.parents) shortest_parents(a);
    return report;
}

}  // namespace nz::kernels::cpu
