// Levels of few pieces by one cluster of 16 blocks, its queue in shared memory: a level costs a message between the blocks and the
// chain neighbour -> claim beside offsets -> queue, not a barrier of the grid. What a block finds stays with it. The next level's
// neighbours are read while the messages travel. When one block has much more than its share, all pieces are dealt out anew, from
// queue to queue. A piece that its lanes have not taken after three turns leaves the rest to the block's list, 32 edges
// an entry, which all warps share out once the block's pieces are through: without it a vertex with 54 edges among others with 7
// kept a level waiting for 14 turns of four lanes (finan512-graph 0.97 -> 0.52 ms, H100).
//
// All 32 warps of a block go through a level whatever they have to do, and each issues what it does: of the 4,400 cycles of a level of
// fewer than 32 pieces (H100, clocks read in every warp among them) blocks, most of which had no piece, spent 1,400 on the way to
// their barrier. So who has nothing to do looks at two barriers and one word. One warp, the last, whose pieces are the last too, has the
// messages, decides whether the next level begins, and keeps sums and record. Finds that are one piece each, as most are, have a way
// of their own into the queue. Measured against the loop before, in which every thread decided and neighbours were copied to shared
// memory as they were found: docs/measurements/bfs.md (a grid from its centre 5.38 -> 4.84 ms, H100).
// Rows of five to eight entries have eight lanes each while the block has threads for that, else four, which look twice
// (laplace2d:90 0.94 -> 0.70 ms of three searches, H200).
// Without gain (figures there too): what pieces have left shared out among a warp's lanes, with the list for longer ones or without it;
// looking at visited bits and reading offsets ahead on thin graphs; asking L2 for the rows of the next 32 vertices; one block alone, its
// claims in a table in shared memory; letters of 8 bytes polled in place of an mbarrier.
#pragma once

#include "kernels/cuda/traverse/common_steps.cuh"

namespace nz::kernels::cuda::traversal {

constexpr unsigned thin_enter = 4096;  // pieces: a quarter of what the cluster's queues hold
constexpr unsigned thin_leave = 6144;  // pieces, a block's queue seldom being fuller than the mean by a third
constexpr unsigned thin_from =
    8;  // levels, on graphs whose mean degree is not small: they end before, or are deep
/// Edges: finds must fit the queues, and on graphs that are not thin most edges find.
template <class Offset>
__device__ unsigned thin_edges(const search<Offset>& s) {
    return s.thin ? 24576 : 4096;
}

/// What a block of the cluster found, told to all of them.
struct thin_finds {
    unsigned pieces, vertices, edges, spilled;
};
/// A group takes no longer pieces than so many turns of its lanes do by itself.
constexpr unsigned thin_turns = 3;
/// Parts of 32 edges that longer pieces of a block may leave: at most 1,493, by the pieces a block holds and the edges a level has (469
/// pieces of 37 edges leave two each, 555 of 13 one).
constexpr unsigned thin_left = 1536;
constexpr unsigned thin_part_bits = 5;
static_assert(32u << thin_part_bits > 1u << long_piece_bits && thin_slots << thin_part_bits <= 1u << 16);
enum class thin_next : unsigned { ends, goes_on, is_dealt_out };
struct thin_shared {
    piece queue[2][thin_slots];
    std::uint32_t from[2][thin_slots];
    thin_finds mine[2];                  ///< of each queue
    unsigned pieces_of[cluster_blocks];  ///< in the next level, by block
    thin_next next;
    unsigned left;                     ///< on the list: what pieces have left, 32 edges an entry
    std::uint16_t left_of[thin_left];  ///< piece << thin_part_bits | which of its parts
    cluster_mail::box mail;
};

template <parents Kind, bool Repeats, class Offset>
class thin_search {
public:
    __device__ thin_search(const search<Offset>& s, thin_shared& memory, cluster_mail& mail,
                           const progress& p)
        : s_(s),
          m_(memory),
          mail_(mail),
          rank_(cg::this_cluster().block_rank()),
          bits_(s.visited[p.current]),
          p_(p),
          never_pulls_(!s.may_change || (s.alpha_size >= thin_edges(s) && s.edge_limit >= thin_edges(s))) {}

    /// Goes on from the queue while levels stay thin; leaves frontier and progress in memory.
    __device__ void run(const counters& begin) {
        now_ = {begin.pieces, begin.vertices, static_cast<unsigned>(begin.edges), 0};
        take();
        ahead first;
        look_up(group(), first);
        for (bool on = begins(); on; on = exchange(first)) push(first);
        give();
    }

private:
    /// What a lane looked up: a neighbour in a piece.
    struct ahead {
        find f[1];
        std::uint32_t from;
    };

    /// Lanes that share a piece.
    __device__ unsigned lanes() const { return 1u << lane_bits_; }
    __device__ unsigned lane() const { return threadIdx.x & (lanes() - 1); }
    __device__ unsigned group() const { return threadIdx.x >> lane_bits_; }
    /// Eight look at rows of five to eight entries in one turn, if that is all the block needs; else four do, twice.
    __device__ void share_out() {
        const unsigned most = static_cast<unsigned>(31 - __clz(static_cast<int>(s_.lanes)));
        lane_bits_ = most == 3 && held_ > block_threads / 8 ? 2 : most;
    }
    /// Of the last warp, which has the mail: its pieces are the last. Under 32 there alone.
    __device__ static unsigned mail_lane() { return threadIdx.x - (block_threads - 32); }
    __device__ bool leads() const { return rank_ == 0 && mail_lane() == 0; }

    __device__ void take() {
        held_ = dealt_share(now_.pieces, rank_, cluster_blocks);
        for (unsigned i = threadIdx.x; i < held_; i += block_threads) {
            const unsigned at = rank_ + i * cluster_blocks;
            hold(0, i, s_.queue[p_.side][at], Kind != parents::none ? s_.queue_from[p_.side][at] : 0);
        }
        share_out();
        if (threadIdx.x < 2) m_.mine[threadIdx.x] = {0, 0, 0, 0};
        if (threadIdx.x == 2) m_.left = 0;
        if (leads()) s_.shared->thin_pieces = 0;
        wait_for_cluster();
    }
    __device__ void hold(unsigned side, unsigned at, piece entry, std::uint32_t v) {
        m_.queue[side][at] = entry;
        if constexpr (Kind != parents::none) m_.from[side][at] = v;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(s_.out_neighbours + (entry >> 10)));
    }

    __device__ void look_up(unsigned i, ahead& l) const {
        l.f[0].found = false;
        if (i < held_) look_at(i, lane(), l);
    }
    /// Edge k of piece i.
    __device__ void look_at(unsigned i, unsigned k, ahead& l) const {
        const piece entry = m_.queue[side_][i];
        const auto length = static_cast<std::uint32_t>(entry & 1023);
        const Offset at = static_cast<Offset>(entry >> 10) + static_cast<Offset>(k);
        find& f = l.f[0];
        f.found = k < length && (!s_.out_values || s_.out_values[at]);
        if (!f.found) return;
        if constexpr (Kind != parents::none) l.from = m_.from[side_][i];
        f.vertex = s_.out_neighbours[at];
    }

    /// The block's pieces; the first turn is looked up.
    __device__ void push(ahead& l) {
        if (mail_lane() == 0) m_.mine[side_] = {0, 0, 0, 0};  // all have read it
        const unsigned groups = block_threads >> lane_bits_;
        for (unsigned base = threadIdx.x / 32 << (5 - lane_bits_), i = group(); base < held_;
             base += groups, i += groups) {
            if (i >= groups) look_up(i, l);
            const unsigned length = i < held_ ? static_cast<unsigned>(m_.queue[side_][i] & 1023) : 0;
            use(l);
            if (__any_sync(full_warp, length > lanes())) push_longer(i, length, l);
        }
    }
    /// What the first turn has left of a warp's pieces: of long ones it goes to the block's list.
    __device__ void push_longer(unsigned i, unsigned length, ahead& l) {
        const unsigned lanes = this->lanes();
        const bool is_long = length > thin_turns * lanes;
        for (unsigned part = lane();; part += lanes) {
            const bool leaves = is_long && lanes + 32 * part < length;
            const unsigned all = __ballot_sync(full_warp, leaves);
            if (all == 0) break;
            unsigned at = 0;
            if (threadIdx.x % 32 == 0) at = atomicAdd(&m_.left, __popc(all));
            at = __shfl_sync(full_warp, at, 0) + __popc(all & ((1u << threadIdx.x % 32) - 1));
            if (leaves) m_.left_of[at] = static_cast<std::uint16_t>(i << thin_part_bits | part);
        }
        const unsigned end = is_long ? 0 : length;
        for (unsigned k = lane() + lanes; __any_sync(full_warp, k - lane() < end); k += lanes) {
            l.f[0].found = false;
            if (k < end) look_at(i, k, l);
            use(l);
        }
    }
    /// The block's list, a part a warp.
    __device__ void push_left(ahead& l) {
        for (unsigned at = threadIdx.x / 32; at < m_.left; at += block_threads / 32) {
            const unsigned part = m_.left_of[at];
            look_at(part >> thin_part_bits,
                    lanes() + 32 * (part & ((1u << thin_part_bits) - 1)) + threadIdx.x % 32, l);
            use(l);
        }
    }
    __device__ void use(ahead& l) {
        // A level of few pieces: claims of bits do not wait for each other.
        constexpr claims by = Kind == parents::smallest ? claims::words : claims::bits;
        find& f = l.f[0];
        const std::uint32_t level = p_.depth + 1;
        Offset end{};
        if (f.found) {  // asked for beside the claim, not after it
            f.begin = static_cast<std::uint64_t>(s_.out_offsets[f.vertex]);
            end = s_.out_offsets[f.vertex + 1];
        }
        if constexpr (!Repeats && by == claims::words) keep_unreached<Kind>(s_, level, l.f);
        if constexpr (Repeats)
            look<Kind, warp_finds>(s_, level, l.from, l.f);
        else
            claim<Kind, by>(s_, bits_, level, l.from, l.f);
        if (f.found) f.degree = static_cast<std::uint32_t>(end - static_cast<Offset>(f.begin));
        if constexpr (Repeats) take_unclaimed<Kind>(s_, level, l.from, l.f);
        keep(l.f);
    }

    /// Finds go to the queue of the next level, most of them as one piece.
    __device__ void keep(const find (&finds)[1]) {
        const find& f = finds[0];
        const unsigned found = __ballot_sync(full_warp, f.found);
        if (found == 0) return;
        thin_finds& mine = m_.mine[side_ ^ 1];
        const bool whole = __all_sync(full_warp, !f.found || f.degree - 1 < piece_edges);
        const auto count = static_cast<unsigned>(__popc(found));
        const unsigned edges = __reduce_add_sync(full_warp, f.found ? f.degree : 0);
        unsigned at = 0;
        if (threadIdx.x % 32 == 0) {
            if (whole) at = atomicAdd(&mine.pieces, count);
            atomicAdd(&mine.vertices, count);
            atomicAdd(&mine.edges, edges);
        }
        if (!whole) {
            append(
                finds, [&](std::uint32_t total) { return atomicAdd(&mine.pieces, total); },
                [&](std::uint32_t slot, piece entry, std::uint32_t v) { put(slot, entry, v); });
            return;
        }
        at = __shfl_sync(full_warp, at, 0) + __popc(found & ((1u << threadIdx.x % 32) - 1));
        if (f.found) put(at, piece{f.begin} << 10 | f.degree, f.vertex);
    }
    /// What does not fit goes to the queue in memory, and the cluster stops after the level.
    __device__ void put(unsigned at, piece entry, std::uint32_t v) {
        if (at < thin_slots) return hold(side_ ^ 1, at, entry, v);
        m_.mine[side_ ^ 1].spilled = 1;
        store(entry, v);
    }
    __device__ void store(piece entry, std::uint32_t v) {
        control& c = *s_.shared;
        queue_end<Kind, Offset>{s_, c.of[0], 0}.put(atomicAdd(&c.thin_pieces, 1u), entry, v);
    }

    /// Ends a level: every block tells the others what it found, and the sum, which is the same in all, decides whether the next
    /// begins. Meanwhile its first turn is looked up.
    __device__ bool exchange(ahead& first) {
        // Levels that other blocks have written decide on a smallest parent, and on all with repeats; claims alone need no fence.
        constexpr bool reads_levels = Kind == parents::smallest || Repeats;
        __syncthreads();
        if (m_.left) {
            push_left(first);
            __syncthreads();
            if (threadIdx.x == 0) m_.left = 0;
        }
        if (reads_levels && mail_lane() < 32)
            __threadfence();  // for the block, whose threads the barrier has joined
        side_ ^= 1;
        ++p_.depth;
        const thin_finds mine = m_.mine[side_];
        held_ = min(mine.pieces, thin_slots);
        share_out();
        mail_.post({mine.pieces, mine.vertices, mine.edges, mine.spilled}, mail_lane());
        look_up(group(), first);
        mail_.template collect<reads_levels>(
            [&](uint4 of) {
                now_ = {__reduce_add_sync(full_warp, of.x), __reduce_add_sync(full_warp, of.y),
                        __reduce_add_sync(full_warp, of.z), __reduce_or_sync(full_warp, of.w)};
                p_.reached += now_.vertices;
                const bool uneven = skewed(__reduce_max_sync(full_warp, of.x));
                const thin_next next = !begins() ? thin_next::ends
                                       : uneven  ? thin_next::is_dealt_out
                                                 : thin_next::goes_on;
                if (mail_lane() == 0) m_.next = next;
                if (mail_lane() < cluster_blocks) m_.pieces_of[mail_lane()] = of.x;
            },
            mail_lane());
        __syncthreads();
        const thin_next next = m_.next;
        if (next == thin_next::is_dealt_out) deal_anew(first);
        return next != thin_next::ends;
    }

    /// The pieces go round the blocks one by one.
    __device__ void deal_anew(ahead& first) {
        unsigned before = 0, all = 0;
        for (unsigned b = 0; b < cluster_blocks; ++b) {
            if (b == rank_) before = all;
            all += m_.pieces_of[b];
        }
        for (unsigned i = threadIdx.x; i < held_; i += block_threads) {
            deal_out(m_.queue[side_][i], m_.queue[side_ ^ 1], before + i, cluster_blocks);
            if constexpr (Kind != parents::none)
                deal_out(m_.from[side_][i], m_.from[side_ ^ 1], before + i, cluster_blocks);
        }
        if (threadIdx.x == 0) m_.mine[side_] = {0, 0, 0, 0};
        wait_for_cluster();
        side_ ^= 1;
        held_ = dealt_share(all, rank_, cluster_blocks);
        share_out();
        look_up(group(), first);
    }

    /// Whether the level begins here; if so it is recorded and in the sums.
    __device__ bool begins() {
        if (now_.vertices == 0 || now_.pieces > thin_leave || now_.edges > thin_edges(s_) || now_.spilled ||
            p_.depth >= s_.max_depth)
            return false;
        if (!never_pulls_ || p_.depth < s_.schedule_levels) {
            progress next = p_;
            if (choose_pull(s_, next, now_.vertices, now_.edges)) return false;
        }
        p_.previous = now_.vertices;
        p_.edges += now_.edges;
        if (leads()) record_level(s_, p_.depth, false, now_.vertices, now_.edges);
        return true;
    }

    /// Whether one block needs a second turn, or much of one, that an even share would spare: finds stay in the block
    /// that found them.
    __device__ bool skewed(unsigned most) const {
        constexpr unsigned turn = block_threads / 4;  // on thin graphs, of four lanes
        const unsigned least = s_.lanes == 8 ? turn / 2 : turn;
        return (most > turn && now_.pieces <= cluster_blocks * turn * 7 / 8) ||
               (most > least && now_.pieces <= cluster_blocks * least * 7 / 8) ||
               (most > least / 2 && most * cluster_blocks > 3 * now_.pieces);
    }

    __device__ void give() {
        for (unsigned i = threadIdx.x; i < held_; i += block_threads)
            store(m_.queue[side_][i], Kind != parents::none ? m_.from[side_][i] : 0);
        wait_for_cluster();
        if (!leads()) return;
        control& c = *s_.shared;
        c.of[p_.depth % 3] = {fresh(c.thin_pieces), now_.vertices, now_.edges};
        c.of[(p_.depth + 1) % 3] = c.of[(p_.depth + 2) % 3] = {0, 0, 0};
        c.depth = p_.depth;
        c.previous = p_.previous;
        c.reached = p_.reached;
        c.total_edges = p_.edges;
    }

    const search<Offset>& s_;
    thin_shared& m_;
    cluster_mail& mail_;
    const unsigned rank_;
    std::uint32_t* const bits_;  // the visited set
    progress p_;              // after the first level all but the depth is kept by the warp that has the mail
    thin_finds now_{};        // this too
    const bool never_pulls_;  // whatever a thin level has
    unsigned held_ = 0;       // pieces in this block's queue
    unsigned lane_bits_ = 2;
    unsigned side_ = 0;  // which queue is the present
};

}  // namespace nz::kernels::cuda::traversal
