// The grid's own steps of traverse/push_pull_fused: push over a queue in memory, pull over bitmaps, and what lies
// between them.
#pragma once

#include "kernels/cuda/traverse/common_search.cuh"

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

/// Pushes pieces get(0 .. count) by threads first, first + 1...; keep(finds) is called by whole warps. Edges: that a
/// lane has in flight. Peek: look at a vertex before claiming it; where few are visited the claim alone is the
/// shorter chain.
template <parents Kind, int Edges, bool Peek, class Offset, class Get, class Keep>
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
        for (unsigned k = within; __any_sync(full_warp, k < length); k += Edges * s.lanes) {
            find finds[Edges];
            Offset end[Edges];
#pragma unroll
            for (int e = 0; e < Edges; ++e) {
                const unsigned i = k + e * s.lanes;
                finds[e].found = i < length && (!s.out_values || s.out_values[begin + i]);
                if (finds[e].found) finds[e].vertex = load_once(s.out_neighbours + begin + i);
            }
            if constexpr (Peek) {
#pragma unroll
                for (find& f : finds)
                    if (f.found) f.found = !settled<Kind>(s, bits, level, f.vertex);
            }
#pragma unroll
            for (int e = 0; e < Edges; ++e) {
                find& f = finds[e];
                if (!f.found) continue;
                // The offsets are asked for beside the claim, not after it.
                f.begin = static_cast<std::uint64_t>(s.out_offsets[f.vertex]);
                end[e] = s.out_offsets[f.vertex + 1];
                f.found = claim<Kind>(s, bits, level, u, f.vertex);
            }
#pragma unroll
            for (int e = 0; e < Edges; ++e)
                if (finds[e].found)
                    finds[e].degree =
                        static_cast<std::uint32_t>(end[e] - static_cast<Offset>(finds[e].begin));
            keep(finds);
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
    push_pieces<Kind, turn_edges, true>(
        s, s.visited[p.current], p.depth + 1, min(count, s.capacity), spread_thread(), grid_threads(),
        [&](unsigned i, piece& entry, std::uint32_t& u) {
            entry = queue[i];
            if constexpr (Kind != parents::none) u = from[i];
        },
        [&](const find(&finds)[turn_edges]) {
#pragma unroll
            for (const find& f : finds) {
                vertices += f.found;
                edges += f.found ? f.degree : 0;
            }
            append(
                finds, [&](std::uint32_t total) { return atomicAdd(&next.pieces, total); },
                [&](std::uint32_t at, piece entry, std::uint32_t v) {
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
    for (unsigned first = spread_thread() / 32 * 32; first < s.words; first += grid_threads()) {
        // A lane a word, then a lane a vertex of each word with finds.
        const unsigned mine = first + threadIdx.x % 32;
        const std::uint32_t fresh_bits = mine < s.words ? now[mine] & ~before[mine] : 0;
        for (unsigned any = __ballot_sync(full_warp, fresh_bits != 0); any; any &= any - 1) {
            const int which = __ffs(any) - 1;
            const std::uint32_t word = __shfl_sync(full_warp, fresh_bits, which);
            find f[1];
            f[0].vertex = (first + which) * 32 + threadIdx.x % 32;
            f[0].found = word >> (threadIdx.x % 32) & 1;
            if (f[0].found) {
                f[0].begin = static_cast<std::uint64_t>(s.out_offsets[f[0].vertex]);
                f[0].degree = static_cast<std::uint32_t>(s.out_offsets[f[0].vertex + 1] -
                                                         static_cast<Offset>(f[0].begin));
            }
            append(
                f, [&](std::uint32_t total) { return atomicAdd(&of.pieces, total); },
                [&](std::uint32_t at, piece entry, std::uint32_t v) {
                    if (at >= s.capacity) return;
                    out[at] = entry;
                    if constexpr (Kind != parents::none) out_from[at] = v;
                });
        }
    }
}

/// A word of the bitmap with groups of 2^shift bits (1 or 2) joined to one.
__device__ inline std::uint32_t coarse_of(std::uint32_t x, std::uint32_t shift) {
    for (; shift; --shift) {
        x = (x | x >> 1) & 0x55555555u;
        x = (x | x >> 1) & 0x33333333u;
        x = (x | x >> 2) & 0x0f0f0f0fu;
        x = (x | x >> 4) & 0x00ff00ffu;
        x = (x | x >> 8) & 0x0000ffffu;
    }
    return x;
}
template <class Offset>
__device__ void write_coarse(const search<Offset>& s, unsigned word, std::uint32_t bits) {
    if (s.coarse_shift == 1)
        reinterpret_cast<std::uint16_t*>(s.coarse)[word] = static_cast<std::uint16_t>(coarse_of(bits, 1));
    else if (s.coarse_shift == 2)
        s.coarse[word] = static_cast<unsigned char>(coarse_of(bits, 2));
}
/// The coarse bitmap of the visited set, after pushes.
template <class Offset>
__device__ void make_coarse(const search<Offset>& s, const progress& p) {
    for (unsigned w = grid_thread(); w < s.words; w += grid_threads())
        write_coarse(s, w, s.visited[p.current][w]);
}

extern __shared__ uint4 near_words[];  // what fits of the visited set, in pull

/// Whether a vertex was visited when the level began: asked of shared memory, and of the bitmap where that is coarse.
struct visited_set {
    const std::uint32_t* bits;
    bool near;  // there is something in shared memory
    std::uint32_t shift;

    __device__ bool in_bits(std::uint32_t u) const { return bits[u / 32] >> (u % 32) & 1; }
    __device__ bool in_near(std::uint32_t u) const {
        const std::uint32_t group = u >> shift;
        return reinterpret_cast<const std::uint32_t*>(near_words)[group / 32] >> (group % 32) & 1;
    }
    /// Which of a few are visited, as bits; of those that `asked` leaves out nothing is said.
    template <int Width>
    __device__ unsigned of(const std::uint32_t (&u)[Width], unsigned asked) const {
        unsigned hits = 0;
        if (near) {
#pragma unroll
            for (int k = 0; k < Width; ++k) hits |= static_cast<unsigned>(in_near(u[k])) << k;
            hits &= asked;
            if (shift == 0) return hits;
            asked = hits;
            hits = 0;
        }
#pragma unroll
        for (int k = 0; k < Width; ++k)
            if (!hits && (asked >> k & 1)) hits |= static_cast<unsigned>(in_bits(u[k])) << k;
        return hits;
    }
};

constexpr std::uint32_t serial_edges = 64;  // neighbours that one lane looks at before its warp helps

/// A lane's search through one row.
template <class Offset>
struct row_search {
    Offset begin = 0, at = 0, end = 0;
    std::uint32_t hit = not_reached;

    __device__ bool goes_on() const { return at < end && hit == not_reached; }
    /// Width neighbours, 4 or 8: half a sector of memory or a whole one. Without Which a hit is 0.
    template <bool Which, int Width>
    __device__ void turn(const std::uint32_t* neighbours, const visited_set& visited) {
        const Offset base = at & ~Offset{Width - 1};
        std::uint32_t u[Width];
#pragma unroll
        for (int q = 0; q < Width; q += 4) {
            const uint4 four = load_once(reinterpret_cast<const uint4*>(neighbours + base + q));
            u[q] = four.x, u[q + 1] = four.y, u[q + 2] = four.z, u[q + 3] = four.w;
        }
        unsigned asked = ((1u << Width) - 1) << static_cast<unsigned>(at - base);
        if (end - base < Width) asked &= (1u << static_cast<unsigned>(end - base)) - 1;
        const unsigned hits = visited.of(u, asked);
        at = base + Width;
        if constexpr (Which) {
            const int first = __ffs(hits) - 1;
#pragma unroll
            for (int k = 0; k < Width; ++k)
                if (k == first) hit = u[k];
        } else if (hits) {
            hit = 0;
        }
    }
};

/// The rows of a warp's lanes to their ends. A lane a row, turn by turn as a warp (lanes that drift apart would go
/// through the turns one after another); then the warp shares what is left of long rows. Eight lanes a row, or a warp,
/// was slower: 98 and 88 against 58 us for a million rows of 32 neighbours. soon: the first few neighbours will do.
template <bool Which, class Offset>
__device__ void finish_rows(row_search<Offset>& row, const std::uint32_t* neighbours,
                            const visited_set& visited, bool soon) {
    if (soon && row.goes_on()) row.template turn<Which, 4>(neighbours, visited);
    const Offset serial_end = min(row.end, static_cast<Offset>(row.begin + Offset{serial_edges}));
    while (true) {
        const bool mine = row.at < serial_end && row.hit == not_reached;
        if (!__any_sync(full_warp, mine)) break;
        if (mine) row.template turn<Which, 8>(neighbours, visited);
        __syncwarp();
    }
    const unsigned lane = threadIdx.x % 32;
    for (unsigned left = __ballot_sync(full_warp, row.goes_on()); left; left &= left - 1) {
        const int owner = __ffs(left) - 1;
        const Offset from = __shfl_sync(full_warp, row.at, owner),
                     to = __shfl_sync(full_warp, row.end, owner);
        for (Offset k = from; k < to; k += 32) {
            const std::uint32_t u = k + lane < to ? load_once(neighbours + k + lane) : not_reached;
            const unsigned hits = __ballot_sync(full_warp, u != not_reached && visited.in_bits(u));
            if (!hits) continue;
            const std::uint32_t first = __shfl_sync(full_warp, u, __ffs(hits) - 1);
            if (static_cast<int>(lane) == owner) row.hit = first;
            break;
        }
    }
}

/// The same with switches off: values read, no early exit.
template <class Offset>
__device__ std::uint32_t first_visited_plainly(const search<Offset>& s, Offset begin, Offset end,
                                               const std::uint32_t* operand) {
    std::uint32_t hit = not_reached;
    for (Offset k = begin; k < end; ++k) {
        const std::uint32_t u = s.in_neighbours[k];
        if (!(operand[u / 32] >> (u % 32) & 1) || (s.in_values && !s.in_values[k]) || hit != not_reached)
            continue;
        hit = u;
        if (s.early_exit) break;
    }
    return hit;
}

/// Copies what fits of the visited set to shared memory, 16 bytes a thread and turn.
template <class Offset>
__device__ visited_set load_visited(const search<Offset>& s, const std::uint32_t* bits) {
    if (!s.coarse_bytes) return {bits, false, 0};
    const void* const from = s.coarse_shift ? static_cast<const void*>(s.coarse) : bits;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < s.coarse_bytes / 16; i += block_threads)
        near_words[i] = static_cast<const uint4*>(from)[i];
    if (const std::uint32_t rest = s.coarse_bytes / 16 * 16 + threadIdx.x; rest < s.coarse_bytes)
        reinterpret_cast<unsigned char*>(near_words)[rest] = static_cast<const unsigned char*>(from)[rest];
    __syncthreads();
    return {bits, true, s.coarse_shift};
}

constexpr unsigned chunk_words = 8;  // words of 32 vertices a warp takes at a time: places within fit a byte

/// What the warps of a block note about their words in shared memory.
struct pull_shared {
    std::uint32_t found[block_threads / 32][chunk_words];
    unsigned char open[block_threads / 32][chunk_words * 32];
};

/// A level by pull. A warp takes eight words of the bitmap, lists their open vertices, and gives each lane one at a
/// time, so that lanes are busy also where few are open; the offsets of the next 32 are on their way meanwhile. The new
/// bitmap is written whole, the old one is read.
template <parents Kind, bool Plain, class Offset>
__device__ void pull_level(const search<Offset>& s, const progress& p, unsigned long long frontier_edges,
                           counters& next) {
    __shared__ pull_shared notes;
    const std::uint32_t* const before = s.visited[p.current];
    std::uint32_t* const after = s.visited[p.current ^ 1];
    const visited_set visited = load_visited(s, before);
    const bool soon =
        frontier_edges > 4 * s.edge_limit;  // an eighth of all: so likely is each neighbour to be in it
    const unsigned lane = threadIdx.x % 32, warps = grid_threads() / 32;
    std::uint32_t* const found_in = notes.found[threadIdx.x / 32];
    unsigned char* const open_in = notes.open[threadIdx.x / 32];
    unsigned vertices = 0;
    unsigned long long edges = 0;
    for (unsigned first = grid_thread() / 32; first < s.words; first += warps * chunk_words) {
        // Words lie as far apart as there are warps, so that the grid moves through the rows as one front.
        const auto vertex = [&](unsigned place) { return (first + place / 32 * warps) * 32 + place % 32; };
        const unsigned mine = first + lane * warps;
        const bool there = lane < chunk_words && mine < s.words;
        const std::uint32_t old = there ? before[mine] : 0;
        std::uint32_t closed = there ? s.in_empty[mine] | (Plain || s.masking ? old : 0) : ~0u;
        if (there && mine * 32 + 31 >= s.n) closed |= ~0u << (s.n % 32);
        unsigned total = 0;
#pragma unroll
        for (unsigned j = 0; j < chunk_words; ++j) {
            const std::uint32_t open = ~__shfl_sync(full_warp, closed, j);
            if (open >> lane & 1)
                open_in[total + __popc(open & ((1u << lane) - 1))] =
                    static_cast<unsigned char>(j * 32 + lane);
            total += __popc(open);
        }
        if (lane < chunk_words) found_in[lane] = 0;
        __syncwarp();
        row_search<Offset> ahead;
        unsigned ahead_place = 0;
        const auto fetch = [&](unsigned i) {
            ahead = {};
            if (i >= total) return;
            ahead_place = open_in[i];
            const std::uint32_t v = vertex(ahead_place);
            ahead.begin = ahead.at = load_once(s.in_offsets + v);
            ahead.end = load_once(s.in_offsets + v + 1);
        };
        fetch(lane);
        for (unsigned i = lane; i - lane < total; i += 32) {
            row_search<Offset> row = ahead;
            const unsigned place = ahead_place;
            fetch(i + 32);
            if constexpr (Plain)
                finish_rows<Kind != parents::none>(row, s.in_neighbours, visited, soon);
            else
                row.hit = first_visited_plainly(s, row.begin, row.end, s.operand_reuse ? before : s.frontier);
            const std::uint32_t v = vertex(place);
            if (row.hit == not_reached || (!Plain && (before[v / 32] >> (v % 32) & 1))) continue;
            atomicOr(&found_in[place / 32], 1u << (place % 32));
            s.levels[v] = p.depth + 1;
            if constexpr (Kind != parents::none) s.parents_of[v] = row.hit;
            ++vertices;
            edges += s.symmetric ? row.end - row.begin : s.out_offsets[v + 1] - s.out_offsets[v];
        }
        __syncwarp();
        if (there) {
            const std::uint32_t word = old | found_in[lane];
            after[mine] = word;
            write_coarse(s, mine, word);
        }
        __syncwarp();
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
