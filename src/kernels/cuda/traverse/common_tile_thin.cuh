// Levels of few tile rows in a search over bit tiles, by one block alone or by a cluster of 16: what a level finds stays in
// the shared memory of the block that found it, as tile row, vertices and where its tiles are, so that the next begins with
// the headers. A level costs the chain headers -> words (beside the visited set's) -> claim, and a barrier of the block, or
// a message between the blocks, during which they look up headers and words of the next level. Where one block has a handful of
// tile rows, a few of its warps go on alone (common_tile_front.cuh) and hand back what has become too much for them.
//
// Claims are made in the visited set itself: an entry holds what one lane was first to find. Entries of one tile row have no
// vertex in common, so that there are never more of them than vertices in the frontier, though more than tile rows.
// Who finds needs no fence: nobody but the finder reads an entry, and only the answer of a claim decides.
// When one block has much more than its share, entries are dealt out anew, from queue to queue (2 us; by way of memory, where those of
// one tile row became one again, 5: fe_body 0.52 -> 0.48 ms of three searches, H200). When a block's memory runs over or levels grow,
// they go back to the frontier's words and the queue in memory.
// An entry has a warp, a lane a tile or a vertex; in a cluster, where tile rows have few tiles, eight lanes: levels of
// grid2d:2000,0.3 (6.4 tiles a tile row) took 4.1 us (H200), with sixteen lanes 5.0, with four 4.4, with four and two tiles
// each 4.05. Without gain: two entries of a group in flight (3.8 for 3.9 us, but one block 1.45 for 1.32), headers of what is
// found read ahead, one loop for levels and turns (half the code, one block 1.40 us), the visited words that one block needs
// in its shared memory (no claim leaves the block, but there is a second barrier: 1.51 for 1.35).
#pragma once

#include "kernels/cuda/traverse/common_tile_front.cuh"

namespace nz::kernels::cuda::tiled {

/// Tiles a tile row, on average, up to which a cluster gives an entry so many lanes in place of a warp.
inline constexpr unsigned narrow_lanes = 8;
/// Tile rows up to which a level is taken on, and entries up to which levels go on: by one block, by a cluster with a warp an
/// entry, with eight lanes. (Twice the rows with a warp an entry: up to a tenth slower on fe_body (x) 6x6, half of them: 3%.)
inline constexpr unsigned alone_enter = 32, alone_leave = 64;
inline constexpr unsigned wide_enter = 256, wide_leave = 512;
inline constexpr unsigned narrow_enter = 4096, narrow_leave = 6144;

/// What a cluster's blocks found together.
struct alignas(16) thin_sum {
    finds found;    ///< entries in place of tile rows
    unsigned most;  ///< entries of one block
};

template <class Word>
struct thin_shared {
    static constexpr unsigned slots = 4096 / sizeof(Word);
    thin_entry<Word> queue[2][slots];
    finds found[3];                    ///< by depth modulo 3: by this block
    unsigned rows_of[cluster_blocks];  ///< entries of each block of the cluster
    thin_sum all;
    front_shared<Word> front;
    cluster_mail::box mail;
    unsigned asked[2];  ///< in levels by all blocks: tiles kept for a block's warps, in this one and the next

    /// Their room is the queues', which lie idle then.
    __device__ asked_tiles<Word> kept(unsigned side) {
        static_assert(sizeof(asked_tile<Word>) == sizeof(thin_entry<Word>));
        return {reinterpret_cast<asked_tile<Word>*>(queue), 2 * slots, &asked[side]};
    }
};

/// Whether tile rows have few tiles.
template <class Word>
__device__ bool narrow(const search<Word>& s) {
    return s.out.tiles <= offset_t{narrow_lanes} * s.words;
}

/// By `Blocks` blocks, 1 or a cluster's, with `Lanes` lanes an entry.
template <class Word, unsigned Blocks, unsigned Lanes>
class thin_search {
    using entry = thin_entry<Word>;
    static constexpr bool alone = Blocks == 1;
    static constexpr unsigned slots = thin_shared<Word>::slots, groups = block_threads / Lanes;
    static constexpr unsigned most = alone ? alone_leave : Lanes == 32 ? wide_leave : narrow_leave;

public:
    __device__ thin_search(const search<Word>& s, thin_shared<Word>& memory, cluster_mail& mail)
        : s_(s),
          m_(memory),
          mail_(mail),
          rank_(alone ? 0 : cooperative_groups::this_cluster().block_rank()),
          outside_(s.has_outside()),
          least_(alone ? 0 : fresh(s.shared->left.bounds.rows)) {}

    /// Goes on from the queue while levels stay thin; leaves frontier and progress in memory.
    __device__ void run(progress p, finds now) {
        take(p, now);
        levels(p, now);
        give(p, now);
        if (!leads()) return;
        control& c = *s_.shared;
        for (level_finds& f : c.level) f = {{0, 0}, 0};
        c.left.found = now;
        c.left.where = {p.depth, p.reached};
        // Entries became too many of so few tile rows: next time from fewer.
        unsigned& bound = alone ? c.left.bounds.rows : c.left.bounds.vertices;
        if (grown_) bound = min(bound, now.rows / 2);
    }

private:
    /// What a lane looked up: of one tile row the vertices found, those seen already, where its tiles are.
    struct look {
        Word found = 0, seen = 0;
        std::uint32_t to = 0, begin = 0, end = 0;

        __device__ void reaches(tile_range tiles) { begin = tiles.begin, end = tiles.end; }
    };

    __device__ bool leads() const { return rank_ == 0 && threadIdx.x == 0; }
    __device__ void wait_for_all() const {
        if constexpr (alone)
            __syncthreads();
        else
            wait_for_cluster();
    }

    /// Tile rows of the queue become entries; frontiers are cleared, for claims are made in the visited set.
    __device__ void take(progress& p, finds now) {
        const unsigned first = rank_ * block_threads + threadIdx.x;
        for (unsigned k = first; k < p.rows_before; k += Blocks * block_threads)
            s_.state[__ldcg(&s_.queue[p.before()][k].row)].frontier[p.before()] = 0;
        p.rows_before = 0;
        held_ = dealt_share(now.rows, rank_, Blocks);
        side_ = 0;
        for (unsigned k = threadIdx.x; k < held_; k += block_threads) {
            const auto [row, begin, end] = queued_row::read(s_.queue[p.turn] + rank_ + k * Blocks);
            row_state<Word>& state = s_.state[row];
            const Word vertices = __ldcg(&state.frontier[p.turn]);
            state.visited = __ldcg(&state.visited) | vertices;
            state.frontier[p.turn] = 0;
            m_.queue[0][k] = {vertices, row, begin, end};
        }
        if (threadIdx.x < 3) m_.found[threadIdx.x] = {0, 0};
        wait_for_all();
    }

    __device__ void levels(progress& p, finds& now) {
        thin_sum all{now, held_};
        look first = look_up(first_of_warp());
        while (goes_on(p, all)) {
            if (alone && !outside_ && all.found.rows <= front_rows_ && p.depth >= front_from) {
                all = by_few_warps(p);
                now = all.found;
                first = look_up(first_of_warp());
                if (!goes_on(p, all)) break;
            }
            if (leads()) record(s_, p.depth, plan::tile_phase::push_csc, all.found);
            if (threadIdx.x == block_threads - 1) m_.found[p.before()] = {0, 0};
            push(p, first);
            p.advance(0);
            all = exchange(p, first);
            p.reached += all.found.vertices;
            now = all.found;
            if (alone || !skewed(all)) continue;
            if (!goes_on(p, all)) break;
            share_out(all.found.rows);
            first = look_up(first_of_warp());
        }
    }

    /// The first warps go on by themselves while a level has a handful of tile rows; the others look ahead or wait.
    __device__ thin_sum by_few_warps(progress& p) {
        m_.front.clear();
        __syncthreads();
        if (threadIdx.x < 3) m_.found[threadIdx.x] = {0, 0};
        if (threadIdx.x < 32 * front_warps)
            front_search<Word>(s_, m_.front).run(p.depth, p.reached, held_, m_.queue[side_]);
        else if (threadIdx.x < 32 * (front_warps + ahead_warps))
            look_ahead(s_, m_.front);
        __syncthreads();
        const auto left = m_.front.end;
        if (left.depth - p.depth < front_pays) front_rows_ = min(front_rows_, left.found.rows / 2);
        p.depth = left.depth;
        p.reached = left.reached;
        p.turn = p.depth % 3;
        held_ = left.found.rows;
        return {left.found, held_};
    }

    __device__ bool goes_on(const progress& p, const thin_sum& all) {
        grown_ = all.most > slots || all.found.rows > most;
        return !grown_ && all.found.rows > least_ && p.depth < s_.max_depth &&
               choose(s_, p, all.found) == plan::tile_phase::push_csc;
    }

    __device__ static unsigned lane() { return threadIdx.x % Lanes; }
    __device__ static unsigned first_of_warp() { return threadIdx.x / 32 * (32 / Lanes); }
    __device__ static unsigned group_in_warp() { return threadIdx.x % 32 / Lanes; }

    /// What the first tiles say of the entries from `base` on, one a group.
    __device__ look look_up(unsigned base) const {
        const unsigned k = base + group_in_warp();
        if (k >= held_) return {};
        const entry e = m_.queue[side_][k];
        return look_at(e, e.begin + lane());
    }
    __device__ look look_at(const entry& e, std::uint32_t at) const {
        look found;
        storage::tile_header<Word> h{};
        if (at < e.end) h = s_.out.headers[at];
        const Word met = h.occupied & e.vertices;
        if (met) {
            found.to = h.column;
            if (!alone) found.seen = __ldcg(&s_.state[h.column].visited);
            found.reaches(s_.out.range(h.column));
        }
        const bool whole = met == h.occupied;
        const Word asked = whole ? Word{0} : met;
        if (Lanes == 32 && bits_in(e.vertices) > few_vertices)
            found.found = words_across(s_.out, h, !alone && !(h.reach & ~found.seen) ? Word{0} : asked);
        else
            found.found = words_of(s_.out, h, asked);
        if (whole) found.found = h.reach;
        return found;
    }
    __device__ look look_outside(const entry& e, std::uint32_t at, std::uint32_t end) const {
        constexpr int size = search<Word>::size;
        look found;
        if (at >= end || !(e.vertices >> s_.out.outside_rows[at] & 1)) return found;
        const auto v = static_cast<std::uint32_t>(s_.out.outside_columns[at]);
        found.to = v / size;
        found.found = Word{1} << (v % size);
        found.reaches(s_.out.range(found.to));
        return found;
    }

    /// The block's entries; what `found` says of the first of each group is looked up already.
    __device__ void push(const progress& p, look found) {
        for (unsigned base = first_of_warp(); base < held_; base += groups) {
            if (base != first_of_warp()) found = look_up(base);
            const Word old = claim(found);
            const unsigned k = base + group_in_warp();
            const entry e = k < held_ ? m_.queue[side_][k] : entry{};
            write_levels(e, p.depth);
            keep(p, found, old);
            for (std::uint32_t at = e.begin + Lanes; __any_sync(full_warp, at < e.end); at += Lanes) {
                const look more = look_at(e, at + lane());
                keep(p, more, claim(more));
            }
            if (outside_) push_outside(p, e);
        }
    }
    __device__ void push_outside(const progress& p, const entry& e) {
        const bool any = e.vertices != 0;
        const tile_range range = any ? s_.out.outside_range(e.row) : tile_range{};
        for (std::uint32_t at = range.begin; __any_sync(full_warp, at < range.end); at += Lanes) {
            const look found = look_outside(e, at + lane(), range.end);
            keep(p, found, claim(found));
        }
    }

    __device__ Word claim(const look& found) const {
        const Word open = found.found & ~found.seen;
        return open ? set_bits(&s_.state[found.to].visited, open) : ~Word{0};
    }
    __device__ void keep(const progress& p, const look& found, Word old) {
        const unsigned next = p.next();
        const Word mine = found.found & ~found.seen & ~old;
        add_rows(
            mine != 0, mine, found.to,
            [&](finds sum) {
                atomicAdd(&m_.found[next].vertices, sum.vertices);
                return atomicAdd(&m_.found[next].rows, sum.rows);
            },
            [&](unsigned at, std::uint32_t row) {
                if (at < slots)
                    m_.queue[side_ ^ 1][at] = {mine, row, found.begin, found.end};
                else
                    store(next, {mine, row, found.begin, found.end});
            });
    }
    __device__ void write_levels(const entry& e, unsigned depth) const {
        constexpr unsigned size = search<Word>::size, share = size / Lanes;
        std::int32_t* const levels = s_.levels + e.row * size + lane() * share;
        for (Word mine = e.vertices >> (lane() * share) & ((Word{1} << share) - 1); mine; mine &= mine - 1)
            levels[lowest(mine)] = static_cast<std::int32_t>(depth);
    }
    /// To the frontier and the queue in memory.
    __device__ void store(unsigned turn, const entry& e) const {
        if (!set_bits(&s_.state[e.row].frontier[turn], e.vertices))
            s_.queue[turn][atomicAdd(&s_.shared->kept, 1u)] = {e.row, e.begin, e.end};
    }

    /// Ends a level: what all blocks found. Meanwhile the first turn of the next is looked up.
    __device__ thin_sum exchange(const progress& p, look& first) {
        __syncthreads();
        const finds mine = m_.found[p.turn];
        held_ = min(mine.rows, slots);
        side_ ^= 1;
        if constexpr (alone) {
            first = look_up(first_of_warp());
            return {mine, mine.rows};
        } else {
            mail_.post({mine.rows, mine.vertices, 0, 0});
            first = look_up(first_of_warp());
            mail_.collect([&](uint4 of) {
                const thin_sum all{{__reduce_add_sync(full_warp, of.x), __reduce_add_sync(full_warp, of.y)},
                                   __reduce_max_sync(full_warp, of.x)};
                if (threadIdx.x == 0) m_.all = all;
                if (threadIdx.x < Blocks) m_.rows_of[threadIdx.x] = of.x;
            });
            __syncthreads();
            return m_.all;
        }
    }

    /// Whether one block needs a turn that an even share, and a quarter, would spare. (Dealing out takes as long as two turns.)
    __device__ bool skewed(const thin_sum& all) const {
        constexpr unsigned team = Blocks * groups;
        const unsigned even = (all.found.rows + all.found.rows / 4 + team - 1) / team;
        return (all.most + groups - 1) / groups > even && 2 * all.most * Blocks > 3 * all.found.rows;
    }

    /// Entries go round the blocks one by one.
    __device__ void share_out(unsigned all) {
        unsigned before = 0;
        for (unsigned b = 0; b < rank_; ++b) before += m_.rows_of[b];
        for (unsigned k = threadIdx.x; k < held_; k += block_threads)
            deal_out(m_.queue[side_][k], m_.queue[side_ ^ 1], before + k, Blocks);
        wait_for_all();
        side_ ^= 1;
        held_ = dealt_share(all, rank_, Blocks);
    }

    /// Entries of one tile row become one again.
    __device__ void give(const progress& p, finds& now) const {
        for (unsigned k = threadIdx.x; k < held_; k += block_threads) store(p.turn, m_.queue[side_][k]);
        wait_for_all();
        now.rows = fresh(s_.shared->kept);
        wait_for_all();
        if (leads()) s_.shared->kept = 0;
    }

    const search<Word>& s_;
    thin_shared<Word>& m_;
    cluster_mail& mail_;
    const unsigned rank_;
    const bool outside_;
    const unsigned least_;               // entries of a level that are left to one block
    bool grown_ = false;                 // there were more
    unsigned front_rows_ = front_enter;  // entries from which the first warps are tried
    unsigned held_ = 0, side_ = 0;       // entries of this block, and in which of its two queues
};

}  // namespace nz::kernels::cuda::tiled
