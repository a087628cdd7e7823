// The grid's own steps of traverse/push_pull_fused: push over a queue in memory, pull over bitmaps, and what lies
// between them.
#pragma once

#include "kernels/cuda/traverse/common_search.cuh"

namespace nz::kernels::cuda::traversal {

__device__ inline unsigned grid_thread() { return blockIdx.x * block_threads + threadIdx.x; }
__device__ inline unsigned grid_threads() { return gridDim.x * block_threads; }

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

/// Pushes pieces get(0 .. count) by threads first, first + 1...; keep(found, v, begin, degree) is called by whole
/// warps. Peek: look at a vertex before claiming it; where few are visited the claim alone is the shorter chain.
template <parents Kind, bool Peek, class Offset, class Get, class Keep>
__device__ void push_pieces(const search<Offset>& s, std::uint32_t* bits, unsigned level, unsigned count,
                            unsigned first, unsigned threads, Get&& get, Keep&& keep) {
    const unsigned lane = threadIdx.x % 32, within = lane & (s.lanes - 1);
    const unsigned step = threads / s.lanes;
    for (unsigned at = (first - lane) / s.lanes; at < count; at += step) {
        piece p = 0;
        std::uint32_t u = 0;
        if (at + lane / s.lanes < count) get(at + lane / s.lanes, p, u);
        const std::uint64_t begin = p >> 10;
        const auto length = static_cast<std::uint32_t>(p & 1023);
        for (unsigned k = within; __any_sync(full_warp, k < length); k += s.lanes) {
            bool found = k < length && (!s.out_values || s.out_values[begin + k]);
            std::uint32_t v = 0;
            Offset row = 0, end = 0;
            if (found) {
                v = s.out_neighbours[begin + k];
                if (Peek) found = !settled<Kind>(s, bits, level, v);
            }
            if (found) {  // the offsets are asked for beside the claim, not after it
                row = s.out_offsets[v];
                end = s.out_offsets[v + 1];
                found = claim<Kind>(s, bits, level, u, v);
            }
            keep(found, v, static_cast<std::uint64_t>(row), static_cast<std::uint32_t>(end - row));
        }
    }
}

/// A level by push, all warps over the queue.
template <parents Kind, class Offset>
__device__ void push_level(const search<Offset>& s, const progress& p, unsigned count, counters& next) {
    const piece* const queue = s.queue[p.side];
    piece* const out = s.queue[p.side ^ 1];
    const std::uint32_t* const from = s.queue_from[p.side];
    std::uint32_t* const out_from = s.queue_from[p.side ^ 1];
    unsigned vertices = 0;
    unsigned long long edges = 0;
    push_pieces<Kind, true>(
        s, s.visited[p.current], p.depth + 1, min(count, s.capacity), grid_thread(), grid_threads(),
        [&](unsigned i, piece& entry, std::uint32_t& u) {
            entry = queue[i];
            if constexpr (Kind != parents::none) u = from[i];
        },
        [&](bool found, std::uint32_t v, std::uint64_t begin, std::uint32_t degree) {
            vertices += found;
            edges += found ? degree : 0;
            append(
                found, begin, degree, [&](std::uint32_t total) { return atomicAdd(&next.pieces, total); },
                [&](std::uint32_t at, piece entry) {
                    if (at >= s.capacity) return;
                    out[at] = entry;
                    if constexpr (Kind != parents::none) out_from[at] = v;
                });
        });
    add_up(next, vertices, edges);
}

/// The vertices that the last pull found, as a queue.
template <parents Kind, class Offset>
__device__ void queue_finds(const search<Offset>& s, const progress& p, counters& of) {
    const std::uint32_t* const now = s.visited[p.current];
    const std::uint32_t* const before = s.visited[p.current ^ 1];
    piece* const out = s.queue[p.side];
    std::uint32_t* const out_from = s.queue_from[p.side];
    const unsigned lane = threadIdx.x % 32;
    for (unsigned w = grid_thread() / 32; w < s.words; w += grid_threads() / 32) {
        const std::uint32_t word = now[w] & ~before[w];
        if (!word) continue;
        const std::uint32_t v = w * 32 + lane;
        const bool found = word >> lane & 1;
        const Offset row = found ? s.out_offsets[v] : 0, end = found ? s.out_offsets[v + 1] : 0;
        append(
            found, static_cast<std::uint64_t>(row), static_cast<std::uint32_t>(end - row),
            [&](std::uint32_t total) { return atomicAdd(&of.pieces, total); },
            [&](std::uint32_t at, piece entry) {
                if (at >= s.capacity) return;
                out[at] = entry;
                if constexpr (Kind != parents::none) out_from[at] = v;
            });
    }
}

constexpr std::uint32_t serial_edges = 64;  // neighbours that one lane looks at before its warp helps

/// The first of [begin, end) in `operand`, or not_reached. Eight neighbours, one sector of memory, a turn; a warp's
/// lanes then share what is left of long rows. Called by whole warps; rows of lanes without work are empty.
template <class Offset>
__device__ std::uint32_t first_visited(const std::uint32_t* neighbours, Offset begin, Offset end,
                                       const std::uint32_t* operand) {
    std::uint32_t hit = not_reached;
    const auto visited = [&](std::uint32_t u) { return operand[u / 32] >> (u % 32) & 1; };
    const Offset serial_end = min(end, static_cast<Offset>(begin + Offset{serial_edges}));
    Offset at = begin;
    while (at < serial_end && hit == not_reached) {
        const Offset sector = at & ~Offset{7};
        const auto* four = reinterpret_cast<const uint4*>(neighbours + sector);
        const uint4 low = four[0], high = four[1];
        const std::uint32_t u[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (int k = 0; k < 8; ++k)
            if (hit == not_reached && sector + k >= at && sector + k < end && visited(u[k])) hit = u[k];
        at = sector + 8;
    }
    const unsigned lane = threadIdx.x % 32;
    for (unsigned left = __ballot_sync(full_warp, at < end && hit == not_reached); left; left &= left - 1) {
        const int owner = __ffs(left) - 1;
        const Offset from = __shfl_sync(full_warp, at, owner), to = __shfl_sync(full_warp, end, owner);
        for (Offset k = from; k < to; k += 32) {
            const std::uint32_t u = k + lane < to ? neighbours[k + lane] : not_reached;
            const unsigned hits = __ballot_sync(full_warp, u != not_reached && visited(u));
            if (!hits) continue;
            const std::uint32_t first = __shfl_sync(full_warp, u, __ffs(hits) - 1);
            if (static_cast<int>(lane) == owner) hit = first;
            break;
        }
    }
    return hit;
}

/// The same with switches off: values read, no early exit.
template <class Offset>
__device__ std::uint32_t first_visited_plainly(const search<Offset>& s, Offset begin, Offset end,
                                               const std::uint32_t* operand) {
    std::uint32_t hit = not_reached;
    for (Offset k = begin; k < end; ++k) {
        const std::uint32_t u = s.in_neighbours[k];
        if (!(operand[u / 32] >> (u % 32) & 1) || (s.in_values && !s.in_values[k]) || hit != not_reached) continue;
        hit = u;
        if (s.early_exit) break;
    }
    return hit;
}

/// A level by pull: a warp a word of 32 vertices. The new bitmap is written whole, the old one is read.
template <parents Kind, bool Plain, class Offset>
__device__ void pull_level(const search<Offset>& s, const progress& p, counters& next) {
    const std::uint32_t* const before = s.visited[p.current];
    std::uint32_t* const after = s.visited[p.current ^ 1];
    const std::uint32_t* const operand = Plain || s.operand_reuse ? before : s.frontier;
    const unsigned lane = threadIdx.x % 32;
    unsigned vertices = 0;
    unsigned long long edges = 0;
    for (unsigned w = grid_thread() / 32; w < s.words; w += grid_threads() / 32) {
        const std::uint32_t v = w * 32 + lane, old = before[w];
        std::uint32_t closed = s.in_empty[w] | (Plain || s.masking ? old : 0);
        if (v >= s.n) closed |= 1u << lane;
        const bool open = !(closed >> lane & 1);
        std::uint32_t finds = 0;
        if (__any_sync(full_warp, open)) {
            const Offset begin = open ? s.in_offsets[v] : 0, end = open ? s.in_offsets[v + 1] : 0;
            const std::uint32_t hit = Plain ? first_visited(s.in_neighbours, begin, end, operand)
                                            : first_visited_plainly(s, begin, end, operand);
            const bool found = hit != not_reached && !(old >> lane & 1);
            finds = __ballot_sync(full_warp, found);
            if (found) {
                s.levels[v] = p.depth + 1;
                if constexpr (Kind != parents::none) s.parents_of[v] = hit;
                ++vertices;
                edges += s.symmetric ? end - begin : s.out_offsets[v + 1] - s.out_offsets[v];
            }
        }
        if (lane == 0) after[w] = old | finds;
    }
    add_up(next, vertices, edges);
}

/// The frontier as a bitmap of its own, for pulls without operand reuse.
template <class Offset>
__device__ void mark_frontier(const search<Offset>& s, const progress& p) {
    for (unsigned w = grid_thread() / 32; w < s.words; w += grid_threads() / 32) {
        const std::uint32_t v = w * 32 + threadIdx.x % 32;
        const unsigned word = __ballot_sync(full_warp, v < s.n && s.levels[v] == p.depth);
        if (threadIdx.x % 32 == 0) s.frontier[w] = word;
    }
}

}  // namespace nz::kernels::cuda::traversal
