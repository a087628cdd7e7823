// What all steps of traverse/push_pull_fused share, and the grid's push over a queue in memory. Pull is in common_pull.cuh.
#pragma once

#include "kernels/cuda/traverse/common_repeats.cuh"

#include <type_traits>

namespace nz::kernels::cuda::traversal {

__device__ inline unsigned grid_thread() { return blockIdx.x * block_threads + threadIdx.x; }
__device__ inline unsigned grid_threads() { return gridDim.x * block_threads; }

/// The same threads, numbered so that neighbouring warps lie on different multiprocessors: for work that does not
/// fill the grid.
__device__ inline unsigned spread_thread() {
    return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32;
}

/// Sums what the threads of a block found and adds it to the level's counters, one atomic a block.
__device__ inline void add_up(counters& to, unsigned vertices, unsigned long long edges) {
    __shared__ unsigned block_vertices;
    __shared__ unsigned long long block_edges;
    if (threadIdx.x == 0) block_vertices = 0, block_edges = 0;
    __syncthreads();
    const unsigned warp_vertices = __reduce_add_sync(full_warp, vertices);
    if (warp_vertices) {
        for (unsigned step = 16; step; step /= 2) edges += __shfl_down_sync(full_warp, edges, step);
        if (threadIdx.x % 32 == 0) {
            atomicAdd(&block_vertices, warp_vertices);
            atomicAdd(&block_edges, edges);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && block_vertices) {
        atomicAdd(&to.vertices, block_vertices);
        atomicAdd(&to.edges, block_edges);
    }
}

/// Among the pieces of a level: some are not in its queue.
constexpr std::uint32_t not_all_queued = 1u << 31;
/// Pieces of a warp's finds from which on they are left to who pushes next, if anyone does: so many edges mostly mean a pull.
constexpr std::uint32_t many_pieces = 1024;

/// A queue in memory that a level's finds go to.
template <parents Kind, class Offset>
struct queue_end {
    const search<Offset>& s;
    counters& of;
    int side;
    bool may_leave = false;  // many pieces

    __device__ void put(std::uint32_t at, piece entry, std::uint32_t v) const {
        if (at >= s.capacity) return;
        s.queue[side][at] = entry;
        if constexpr (Kind != parents::none) s.queue_from[side][at] = v;
    }
    template <int Count>
    __device__ __forceinline__ void take(const find (&finds)[Count]) const {
        append(
            finds,
            [&](std::uint32_t total) {
                if (!may_leave || total < many_pieces) return atomicAdd(&of.pieces, total);
                atomicOr(&of.pieces, not_all_queued);
                return no_room;
            },
            [&](std::uint32_t at, piece entry, std::uint32_t v) { put(at, entry, v); });
    }
    /// The same where repeats may be more than 32 bits count: whether the queue is full, and finds need no longer be put there.
    template <int Count>
    __device__ __forceinline__ bool take_until_full(const find (&finds)[Count]) const {
        bool full = false;
        append(
            finds,
            [&](std::uint32_t total) {
                const std::uint32_t at = atomicAdd(&of.pieces, total);
                full = at > s.capacity;
                return at;
            },
            [&](std::uint32_t at, piece entry, std::uint32_t v) { put(at, entry, v); });
        return __any_sync(full_warp, full);
    }
};

/// The source's row, by one warp.
template <parents Kind, class Offset>
__device__ void queue_source(const search<Offset>& s, counters& of, const find (&source)[1]) {
    queue_end<Kind, Offset>{s, of, 0}.take(source);
}

/// Pushes pieces get(0 .. count) by threads first, first + 1...; keep(finds) is called by whole warps. Edges: that a
/// lane has in flight. peek: look at a bit before claiming it; where few are visited the claim alone is the shorter
/// chain. neighbour(k, i, at): the i-th of piece k, at that place of all neighbours. Recent: what culls
/// repeats; claims where void.
template <parents Kind, claims By, class Recent, int Edges, class Offset, class Get, class Neighbour,
          class Keep>
__device__ void push_pieces(const search<Offset>& s, std::uint32_t* bits, unsigned level, unsigned count,
                            unsigned first, unsigned threads, unsigned lanes, bool peek, Get&& get,
                            Neighbour&& neighbour, Keep&& keep) {
    constexpr bool repeats = !std::is_void_v<Recent>;
    const unsigned lane = threadIdx.x % 32, within = lane & (lanes - 1);
    const unsigned step = threads / lanes;
    for (unsigned at = (first - lane) / lanes; at < count; at += step) {
        piece p = 0;
        std::uint32_t u = 0;
        if (at + lane / lanes < count) get(at + lane / lanes, p, u);
        const std::uint64_t begin = p >> 10;
        const auto length = static_cast<std::uint32_t>(p & 1023);
        for (unsigned k = within; __any_sync(full_warp, k < length); k += Edges * lanes) {
            find finds[Edges];
            Offset end[Edges];
#pragma unroll
            for (int e = 0; e < Edges; ++e) {
                const unsigned i = k + e * lanes;
                finds[e].found = i < length && (!s.out_values || s.out_values[begin + i]);
                if (finds[e].found) finds[e].vertex = neighbour(at + lane / lanes, i, begin + i);
            }
            if constexpr (repeats) look<Kind, Recent>(s, level, u, finds);
            if constexpr (!repeats && By == claims::words) keep_unreached<Kind>(s, level, finds);
            if (!repeats && By == claims::bits && peek) {
                std::uint32_t seen[Edges];
#pragma unroll
                for (int e = 0; e < Edges; ++e)
                    seen[e] = finds[e].found ? fresh(bits[finds[e].vertex / 32]) : 0;
#pragma unroll
                for (int e = 0; e < Edges; ++e)
                    finds[e].found = finds[e].found && !(seen[e] >> finds[e].vertex % 32 & 1);
            }
            // The offsets are asked for beside the claim, not after it.
#pragma unroll
            for (int e = 0; e < Edges; ++e) {
                if (!finds[e].found) continue;
                finds[e].begin = static_cast<std::uint64_t>(s.out_offsets[finds[e].vertex]);
                end[e] = s.out_offsets[finds[e].vertex + 1];
            }
            if constexpr (!repeats) claim<Kind, By>(s, bits, level, u, finds);
#pragma unroll
            for (int e = 0; e < Edges; ++e)
                if (finds[e].found)
                    finds[e].degree =
                        static_cast<std::uint32_t>(end[e] - static_cast<Offset>(finds[e].begin));
            if constexpr (repeats) take_unclaimed<Kind>(s, level, u, finds);
            keep(finds);
        }
    }
}

/// Lanes that share a piece: as many as its four edges each take in one turn, on average, but for the longest pieces no
/// more than four turns.
template <class Offset>
__device__ unsigned lanes_for(const search<Offset>& s, const counters& now) {
    const unsigned long long mean = now.edges / max(now.pieces, 1u);
    unsigned lanes = max(s.lanes / 4, 4u);
    while (lanes < s.lanes && lanes * turn_edges < mean) lanes *= 2;
    return lanes;
}

constexpr std::uint32_t few_visited = 8;  // one vertex in so many

/// A level by push, all warps over the queue. Queues: finds go to the next level's queue.
template <parents Kind, claims By, bool Repeats, bool Queues, bool Wide = false, class Offset>
__device__ void push_level(const search<Offset>& s, const progress& p, const counters& now, counters& next) {
    const piece* const queue = s.queue[p.side];
    const std::uint32_t* const from = s.queue_from[p.side];
    const queue_end<Kind, Offset> out{s, next, p.side ^ 1, Wide && s.pull_steps_in};
    unsigned vertices = 0;
    unsigned long long edges = 0;
    bool full = false;
    constexpr bool may_wrap = Repeats && sizeof(Offset) == 8;  // finds of 2^32 edges, were each a repeat
    if constexpr (Repeats) block_finds::clear();
    push_pieces<Kind, By, std::conditional_t<Repeats, block_finds, void>, turn_edges>(
        s, s.visited[p.current], p.depth + 1, min(now.pieces, s.capacity), spread_thread(), grid_threads(),
        lanes_for(s, now), p.reached > s.n / few_visited,
        [&](unsigned i, piece& entry, std::uint32_t& u) {
            entry = queue[i];
            if constexpr (Kind != parents::none) u = from[i];
        },
        [&](unsigned, unsigned, std::uint64_t at) { return load_once(s.out_neighbours + at); },
        [&](const find(&finds)[turn_edges]) {
            if (may_wrap && full) return;
#pragma unroll
            for (const find& f : finds) {
                vertices += f.found;
                edges += f.found ? f.degree : 0;
                if (Wide && p.filter && f.found) {
                    const std::uint32_t h = hash_of(f.vertex);
                    atomicOr(s.filter + h / 32, 1u << h % 32);
                }
            }
            if constexpr (!Queues)
                return;
            else if constexpr (!Repeats)
                out.take(finds);
            else if (!full)
                full = out.take_until_full(finds);
        });
    add_up(next, vertices, edges);
}

/// The vertices that the last level found, a pull or a push that did not queue them (or not all, repeats being many), as a queue.
template <parents Kind, class Offset>
__device__ void queue_finds(const search<Offset>& s, const progress& p, counters& of) {
    const std::uint32_t* const now = s.visited[p.current];
    const std::uint32_t* const before = s.visited[p.current ^ 1];
    const queue_end<Kind, Offset> out{s, of, p.side};
    const bool by_levels = !p.pulls;  // a push leaves no bitmap from before it
    for (unsigned first = spread_thread() / 32 * 32; first < s.words; first += grid_threads()) {
        // A lane a word, then a lane a vertex of each word with finds.
        const unsigned mine = first + threadIdx.x % 32;
        std::uint32_t fresh_bits = mine < s.words ? now[mine] : 0;
        if (!by_levels && mine < s.words) fresh_bits &= ~before[mine];
        for (unsigned any = __ballot_sync(full_warp, fresh_bits != 0); any; any &= any - 1) {
            const int which = __ffs(any) - 1;
            const std::uint32_t word = __shfl_sync(full_warp, fresh_bits, which);
            find f[1];
            f[0].vertex = (first + which) * 32 + threadIdx.x % 32;
            f[0].found = (word >> (threadIdx.x % 32) & 1) && (!by_levels || s.levels[f[0].vertex] == p.depth);
            if (f[0].found) {
                f[0].begin = static_cast<std::uint64_t>(s.out_offsets[f[0].vertex]);
                f[0].degree = static_cast<std::uint32_t>(s.out_offsets[f[0].vertex + 1] -
                                                         static_cast<Offset>(f[0].begin));
            }
            out.take(f);
        }
    }
}

/// Vertices and edges of all that was reached, where repeats are in the sums of the levels.
template <class Offset>
__device__ void count_reached(const search<Offset>& s, counters& to) {
    unsigned vertices = 0;
    unsigned long long edges = 0;
    for (unsigned v = grid_thread(); v < s.n; v += grid_threads()) {
        if (s.levels[v] == not_reached) continue;
        ++vertices;
        edges += static_cast<unsigned long long>(s.out_offsets[v + 1] - s.out_offsets[v]);
    }
    add_up(to, vertices, edges);
}

}  // namespace nz::kernels::cuda::traversal
