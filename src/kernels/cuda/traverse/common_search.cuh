// The state of one search of traverse/push_pull_fused on a GPU, and what its steps share. The essay is in
// push_pull_fused.cu.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/traverse_arguments.hpp"

namespace nz::kernels::cuda::traversal {

namespace cg = cooperative_groups;

constexpr int block_threads = 1024;
constexpr int cluster_blocks = 16;          // the thin step's multiprocessors: Hopper grants 16 where asked
constexpr int blocks_an_sm = 1;             // 64 registers a thread: nothing spills
constexpr std::uint32_t not_reached = ~0u;  // -1 to the caller, and more than any parent
constexpr std::uint32_t piece_edges =
    128;                       // longest piece of a row in a queue: one turn of a warp, four edges a lane
constexpr int turn_edges = 4;  // edges that a lane has in flight
constexpr std::uint32_t thin_slots = 1024;  // pieces that a block of the thin step holds

enum class parents { none, any, smallest };

/// Counters rotate over three levels: one read, one written, one cleared.
struct counters {
    unsigned pieces, vertices;
    unsigned long long edges;
};
struct control {
    unsigned arrived;
    unsigned thin_pieces;
    counters of[3];
    // What the thin step hands back.
    unsigned depth, previous, pulls;
    unsigned long long reached, total_edges;
};

/// A piece of a row in a queue: where it begins in the neighbours and how many there are.
using piece = unsigned long long;
__device__ inline piece piece_of(std::uint64_t row, std::uint32_t degree, std::uint32_t k) {
    return (row + std::uint64_t{k} * piece_edges) << 10 | min(piece_edges, degree - k * piece_edges);
}

template <class Offset>
struct search {
    std::uint32_t n, words;
    const Offset *out_offsets, *in_offsets;
    const std::uint32_t *out_neighbours, *in_neighbours;
    const bool *out_values, *in_values;  // null: every entry is true
    std::uint32_t source, max_depth;
    std::uint32_t alpha_size, beta_size;  // pull above, push below so many vertices
    unsigned long long edge_limit;
    bool may_change, masking, early_exit, operand_reuse, symmetric;
    std::uint32_t schedule_levels;
    unsigned long long schedule_pulls;
    std::uint32_t *levels, *parents_of;  // parents_of null: not wanted
    std::uint32_t* visited[2];
    unsigned char* coarse;  // one bit for 2^coarse_shift vertices: what fits shared memory of the visited set
    std::uint32_t coarse_shift;  // 0: the bitmap itself
    std::uint32_t coarse_bytes;  // in shared memory; 0: too many vertices even so
    std::uint32_t* frontier;     // bitmap, with operand_reuse off
    const std::uint32_t* in_empty;
    piece* queue[2];
    std::uint32_t* queue_from[2];  // whose row a piece is of; with parents
    std::uint32_t capacity;
    std::uint32_t lanes;  // that share a piece
    control* shared;
    traverse_report* report;
};

/// Where the search stands; every thread holds the same.
struct progress {
    unsigned depth = 0, previous = 0;
    bool pulls = false, queued = true;
    int side = 0, current = 0;  // which queue and which bitmap hold the present
    unsigned long long reached = 1, edges = 0;
};

/// plan::choose_direction on counts.
template <class Offset>
__device__ bool choose_pull(const search<Offset>& s, progress& p, unsigned size, unsigned long long edges) {
    const bool rises = size > p.previous, falls = size<p.previous, hubs = edges> s.edge_limit;
    bool pulls = p.pulls;
    if (s.may_change) {
        if (!pulls)
            pulls = rises && (size > s.alpha_size || hubs);
        else
            pulls = !(size < s.beta_size && falls && !hubs);
    }
    if (p.depth < s.schedule_levels) pulls = s.schedule_pulls >> p.depth & 1;
    p.previous = size;
    return pulls;
}

template <class Offset>
__device__ void record_level(const search<Offset>& s, unsigned depth, bool pulls, unsigned size,
                             unsigned long long edges) {
    if (depth < traverse_report::capacity)
        s.report->records[depth] = {size, pulls, edges, static_cast<std::uint64_t>(clock64())};
}

/// Whether this thread is the one that finds v, from u, on `level`. `bits` is the visited set.
template <parents Kind, class Offset>
__device__ bool claim(const search<Offset>& s, std::uint32_t* bits, std::uint32_t level, std::uint32_t u,
                      std::uint32_t v) {
    const std::uint32_t bit = 1u << (v % 32);
    if constexpr (Kind == parents::smallest) {
        // All neighbours in the frontier lower the parent; whoever found none there is the finder.
        if (fresh(s.levels[v]) < level) return false;
        if (atomicMin(&s.parents_of[v], u) != not_reached) return false;
        s.levels[v] = level;
        atomicOr(&bits[v / 32], bit);
        return true;
    } else {
        if (atomicOr(&bits[v / 32], bit) & bit) return false;
        s.levels[v] = level;
        if constexpr (Kind == parents::any) s.parents_of[v] = u;
        return true;
    }
}

/// Whether a look at v can be spared the claim.
template <parents Kind, class Offset>
__device__ bool settled(const search<Offset>& s, const std::uint32_t* bits, std::uint32_t level,
                        std::uint32_t v) {
    if constexpr (Kind == parents::smallest) return false;
    return fresh(bits[v / 32]) >> (v % 32) & 1;
}

/// What a lane found: rows to put into a queue.
struct find {
    std::uint32_t vertex = 0, degree = 0;
    std::uint64_t begin = 0;
    bool found = false;

    __device__ std::uint32_t pieces() const { return found ? (degree + piece_edges - 1) / piece_edges : 0; }
};

constexpr std::uint32_t few_pieces = 8;  // rows of more are cut up by the whole warp

/// A warp's lanes put the rows of what they found, Count each, into a queue, in pieces. All lanes take part;
/// `slot(total)` gives room for `total` pieces, `put(at, piece, vertex)` stores one.
template <int Count, class Slot, class Put>
__device__ void append(const find (&finds)[Count], Slot&& slot, Put&& put) {
    std::uint32_t mine = 0;
#pragma unroll
    for (const find& f : finds) mine += f.pieces();
    if (!__any_sync(full_warp, mine > 0)) return;
    const unsigned lane = threadIdx.x % 32;
    if (Count == 1 && !__any_sync(full_warp, mine > 1)) {  // the usual case of thin graphs
        const unsigned all = __ballot_sync(full_warp, mine > 0);
        std::uint32_t base = 0;
        if (lane == 0) base = slot(__popc(all));
        base = __shfl_sync(full_warp, base, 0);
        const find& f = finds[0];
        if (mine) put(base + __popc(all & ((1u << lane) - 1)), piece_of(f.begin, f.degree, 0), f.vertex);
        return;
    }
    std::uint32_t sum = mine;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, sum, step);
        if (lane >= step) sum += below;
    }
    std::uint32_t base = 0;
    if (lane == 31) base = slot(sum);
    std::uint32_t at = __shfl_sync(full_warp, base, 31) + sum - mine;
#pragma unroll
    for (const find& f : finds) {
        const std::uint32_t pieces = f.pieces();
        if (pieces <= few_pieces)
            for (std::uint32_t k = 0; k < pieces; ++k) put(at + k, piece_of(f.begin, f.degree, k), f.vertex);
        for (unsigned many = __ballot_sync(full_warp, pieces > few_pieces); many; many &= many - 1) {
            const int owner = __ffs(many) - 1;
            const std::uint32_t first = __shfl_sync(full_warp, at, owner),
                                v = __shfl_sync(full_warp, f.vertex, owner),
                                degree = __shfl_sync(full_warp, f.degree, owner),
                                all = __shfl_sync(full_warp, pieces, owner);
            const std::uint64_t begin = __shfl_sync(full_warp, f.begin, owner);
            for (std::uint32_t k = lane; k < all; k += 32) put(first + k, piece_of(begin, degree, k), v);
        }
        at += pieces;
    }
}

}  // namespace nz::kernels::cuda::traversal
