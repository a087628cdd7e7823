// Levels of few pieces by one cluster, its queue in shared memory: a level costs a message between the blocks and the
// chain neighbour -> claim beside offsets -> queue, not a barrier of the grid. Neighbours of thin graphs are copied to
// shared memory while the messages travel. When one block has much more than its share, the pieces go back to the
// queue in memory and are dealt out anew.
#pragma once

#include "kernels/cuda/traverse/common_steps.cuh"

namespace nz::kernels::cuda::traversal {

constexpr unsigned thin_enter = 4096;  // pieces: a quarter of what the cluster's queues hold
constexpr unsigned thin_leave = 6144;  // pieces, a block's queue seldom being fuller than the mean by a third
constexpr unsigned thin_from =
    8;  // levels, on graphs whose mean degree is not small: they end before, or are deep
/// Edges: finds must fit the queues, and on graphs that are not thin most edges find.
template <class Offset>
__device__ unsigned long long thin_edges(const search<Offset>& s) {
    return s.lanes == 4 ? 24576 : 4096;
}

/// What a block of the cluster found, told to all of them.
struct thin_finds {
    unsigned pieces, vertices, edges, spilled;
};
constexpr int thin_edges_a_lane = 1;  // two were slower: 6.5 against 5.8 ms on a grid of 2,000 x 2,000
/// Pieces that a block of the thin step takes at once on thin graphs.
constexpr unsigned thin_turn = block_threads / 4 * thin_edges_a_lane;
struct thin_shared {
    piece queue[2][thin_slots];
    std::uint32_t from[2][thin_slots];
    thin_finds mine, all;
    unsigned held, most;
    cluster_mail::box mail;
};
/// On thin graphs a piece's first neighbours are copied to shared memory as soon as it is found, while the blocks tell
/// each other what they found.
constexpr unsigned inline_edges = 4;
constexpr int inline_bytes = 2 * thin_slots * inline_edges * sizeof(std::uint32_t);

template <parents Kind, bool Repeats, class Offset>
class thin_search {
public:
    __device__ thin_search(const search<Offset>& s, thin_shared& memory, cluster_mail& mail)
        : s_(s), m_(memory), cluster_(cg::this_cluster()), mail_(mail), rank_(cluster_.block_rank()) {}

    /// Goes on from the queue while levels stay thin; leaves frontier and progress in memory.
    __device__ void run(progress p, const counters& begin) {
        take(p, begin.pieces);
        thin_finds now{begin.pieces, begin.vertices, static_cast<unsigned>(begin.edges), 0};
        int side = 0;
        while (now.vertices && now.pieces <= thin_leave && now.edges <= thin_edges(s_) && !now.spilled &&
               p.depth < s_.max_depth) {
            progress next = p;
            if (choose_pull(s_, next, now.vertices, now.edges)) break;
            p = next;
            if (leads()) record_level(s_, p.depth, false, now.vertices, now.edges);
            p.edges += now.edges;
            push(p, side);
            side ^= 1;
            now = exchange();
            ++p.depth;
            p.reached += now.vertices;
            if (skewed(now)) break;
        }
        give(p, side, now);
    }

private:
    __device__ bool leads() const { return rank_ == 0 && threadIdx.x == 0; }

    __device__ std::uint32_t* first_neighbours(int side, unsigned at) const {
        return reinterpret_cast<std::uint32_t*>(near_words) + (side * thin_slots + at) * inline_edges;
    }

    __device__ void take(const progress& p, unsigned count) {
        held_ = count > rank_ ? (count - rank_ + cluster_blocks - 1) / cluster_blocks : 0;
        for (unsigned i = threadIdx.x; i < held_; i += block_threads) {
            const unsigned from = rank_ + i * cluster_blocks;
            hold(0, i, s_.queue[p.side][from], Kind != parents::none ? s_.queue_from[p.side][from] : 0);
        }
        if (threadIdx.x == 0) m_.mine = {0, 0, 0, 0};
        if (leads()) s_.shared->thin_pieces = 0;
        finish_copies();
        cluster_.sync();
    }

    __device__ void hold(int side, unsigned at, piece entry, std::uint32_t v) {
        m_.queue[side][at] = entry;
        if constexpr (Kind != parents::none) m_.from[side][at] = v;
        const std::uint32_t* const row = s_.out_neighbours + (entry >> 10);
        if (s_.lanes != inline_edges) {
            asm volatile("prefetch.global.L2 [%0];" ::"l"(row));
            return;
        }
        const auto length = static_cast<unsigned>(entry & 1023);
#pragma unroll
        for (unsigned i = 0; i < inline_edges; ++i)
            if (i < length) start_copy(first_neighbours(side, at) + i, row + i);
    }

    __device__ void push(const progress& p, int side) {
        unsigned vertices = 0;
        unsigned edges = 0;
        push_pieces<Kind, std::conditional_t<Repeats, warp_finds, void>, thin_edges_a_lane>(
            s_, s_.visited[p.current], p.depth + 1, held_, threadIdx.x, block_threads,
            s_.lanes / thin_edges_a_lane, false,
            [&](unsigned i, piece& entry, std::uint32_t& u) {
                entry = m_.queue[side][i];
                if constexpr (Kind != parents::none) u = m_.from[side][i];
            },
            [&](unsigned k, unsigned i, std::uint64_t at) {
                return s_.lanes == inline_edges && i < inline_edges ? first_neighbours(side, k)[i]
                                                                    : load_once(s_.out_neighbours + at);
            },
            [&](const find(&finds)[thin_edges_a_lane]) {
#pragma unroll
                for (const find& f : finds) {
                    vertices += f.found;
                    edges += f.found ? f.degree : 0;
                }
                append(
                    finds, [&](std::uint32_t total) { return atomicAdd(&m_.mine.pieces, total); },
                    [&](std::uint32_t at, piece entry, std::uint32_t v) { keep(side ^ 1, at, entry, v); });
            });
        const unsigned warp_vertices = __reduce_add_sync(full_warp, vertices);
        if (!warp_vertices) return;
        const unsigned warp_edges = __reduce_add_sync(full_warp, edges);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&m_.mine.vertices, warp_vertices);
            atomicAdd(&m_.mine.edges, warp_edges);
        }
    }

    /// What does not fit goes to the queue in memory, and the cluster stops after the level.
    __device__ void keep(int side, unsigned at, piece entry, std::uint32_t v) {
        if (at < thin_slots) return hold(side, at, entry, v);
        m_.mine.spilled = 1;
        store(entry, v);
    }

    __device__ void store(piece entry, std::uint32_t v) {
        control& c = *s_.shared;
        queue_end<Kind, Offset>{s_, c.of[0], 0}.put(atomicAdd(&c.thin_pieces, 1u), entry, v);
    }

    /// Every block tells the others what it found; the sum is the same in all.
    __device__ thin_finds exchange() {
        // Levels that other blocks have written decide on a smallest parent, and on all with repeats; claims alone need no fence.
        if constexpr (Kind == parents::smallest || Repeats) __threadfence();
        __syncthreads();
        const thin_finds mine = m_.mine;
        mail_.exchange({mine.pieces, mine.vertices, mine.edges, mine.spilled}, [&](uint4 of) {
            const thin_finds all{__reduce_add_sync(full_warp, of.x), __reduce_add_sync(full_warp, of.y),
                                 __reduce_add_sync(full_warp, of.z), __reduce_or_sync(full_warp, of.w)};
            const unsigned most = __reduce_max_sync(full_warp, of.x);
            if (threadIdx.x == 0)
                m_.all = all, m_.most = most, m_.held = min(mine.pieces, thin_slots), m_.mine = {0, 0, 0, 0};
        });
        finish_copies();
        __syncthreads();
        held_ = m_.held;
        return m_.all;
    }

    /// Whether one block needs a second turn, or much of one, that an even share would spare: finds stay in the block
    /// that found them. By way of the queue in memory they are dealt out anew.
    __device__ bool skewed(const thin_finds& now) const {
        const unsigned most = m_.most;
        return (most > thin_turn && now.pieces <= cluster_blocks * thin_turn * 7 / 8) ||
               (most > thin_turn / 2 && most * cluster_blocks > 3 * now.pieces);
    }

    __device__ void give(const progress& p, int side, const thin_finds& now) {
        for (unsigned i = threadIdx.x; i < held_; i += block_threads)
            store(m_.queue[side][i], Kind != parents::none ? m_.from[side][i] : 0);
        cluster_.sync();
        if (!leads()) return;
        control& c = *s_.shared;
        c.of[p.depth % 3] = {fresh(c.thin_pieces), now.vertices, now.edges};
        c.of[(p.depth + 1) % 3] = c.of[(p.depth + 2) % 3] = {0, 0, 0};
        c.depth = p.depth;
        c.previous = p.previous;
        c.reached = p.reached;
        c.total_edges = p.edges;
    }

    const search<Offset>& s_;
    thin_shared& m_;
    const cg::cluster_group cluster_;
    cluster_mail& mail_;
    const unsigned rank_;
    unsigned held_ = 0;  // pieces in this block's queue
};

}  // namespace nz::kernels::cuda::traversal
