// Levels of few pieces by one cluster, its queue in shared memory: a level costs a cluster barrier and the chain
// queue -> neighbour -> claim beside offsets -> queue, not a barrier of the grid.
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
struct thin_shared {
    piece queue[2][thin_slots];
    std::uint32_t from[2][thin_slots];
    thin_finds mine;
    cluster_mail::box mail;
};

template <parents Kind, class Offset>
class thin_search {
public:
    __device__ thin_search(const search<Offset>& s, thin_shared& memory, cluster_mail& mail)
        : s_(s), m_(memory), cluster_(cg::this_cluster()), mail_(mail), rank_(cluster_.block_rank()) {}

    /// Goes on from `count` pieces in the queue while levels stay thin; leaves frontier and progress in memory.
    __device__ void run(progress p, unsigned count, counters frontier) {
        take(p, count);
        thin_finds now{count, frontier.vertices, static_cast<unsigned>(frontier.edges), 0};
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
        }
        give(p, side, now);
    }

private:
    __device__ bool leads() const { return rank_ == 0 && threadIdx.x == 0; }

    __device__ void take(const progress& p, unsigned count) {
        const unsigned mine = count > rank_ ? (count - rank_ + cluster_blocks - 1) / cluster_blocks : 0;
        for (unsigned i = threadIdx.x; i < mine; i += block_threads) {
            m_.queue[0][i] = s_.queue[p.side][rank_ + i * cluster_blocks];
            if constexpr (Kind != parents::none)
                m_.from[0][i] = s_.queue_from[p.side][rank_ + i * cluster_blocks];
        }
        if (threadIdx.x == 0) m_.mine = {0, 0, 0, 0};
        held_ = mine;
        if (leads()) s_.shared->thin_pieces = 0;
        cluster_.sync();
    }

    __device__ void push(const progress& p, int side) {
        unsigned vertices = 0;
        unsigned edges = 0;
        push_pieces<Kind, 1, false>(
            s_, s_.visited[p.current], p.depth + 1, held_, threadIdx.x, block_threads,
            [&](unsigned i, piece& entry, std::uint32_t& u) {
                entry = m_.queue[side][i];
                if constexpr (Kind != parents::none) u = m_.from[side][i];
            },
            [&](const find(&finds)[1]) {
                const find& f = finds[0];
                if (f.found) asm volatile("prefetch.global.L2 [%0];" ::"l"(s_.out_neighbours + f.begin));
                vertices += f.found;
                edges += f.found ? f.degree : 0;
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
        if (at < thin_slots) {
            m_.queue[side][at] = entry;
            if constexpr (Kind != parents::none) m_.from[side][at] = v;
        } else {
            m_.mine.spilled = 1;
            store(atomicAdd(&s_.shared->thin_pieces, 1u), entry, v);
        }
    }

    __device__ void store(unsigned at, piece entry, std::uint32_t v) {
        if (at >= s_.capacity) return;
        s_.queue[0][at] = entry;
        if constexpr (Kind != parents::none) s_.queue_from[0][at] = v;
    }

    /// Every block tells the others what it found; the sum is the same in all.
    __device__ thin_finds exchange() {
        // A smallest parent is decided by levels that other blocks have written; claims alone need no fence.
        if constexpr (Kind == parents::smallest) __threadfence();
        __syncthreads();
        const thin_finds mine = m_.mine;
        held_ = min(mine.pieces, thin_slots);
        const uint4* const letters = mail_.exchange({mine.pieces, mine.vertices, mine.edges, mine.spilled});
        thin_finds sum{};
        for (int b = 0; b < cluster_blocks; ++b) {
            const uint4 of = letters[b];
            sum.pieces += of.x;
            sum.vertices += of.y;
            sum.edges += of.z;
            sum.spilled |= of.w;
        }
        __syncthreads();  // all have read `mine`
        if (threadIdx.x == 0) m_.mine = {0, 0, 0, 0};
        __syncthreads();
        return sum;
    }

    __device__ void give(const progress& p, int side, const thin_finds& now) {
        for (unsigned i = threadIdx.x; i < held_; i += block_threads)
            store(atomicAdd(&s_.shared->thin_pieces, 1u), m_.queue[side][i],
                  Kind != parents::none ? m_.from[side][i] : 0);
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
