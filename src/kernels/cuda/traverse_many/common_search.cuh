// The state of one batch of traverse_many/bit_parallel on a GPU, and what its steps share. The essay is in
// bit_parallel.cu.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/traverse/common_search.cuh"
#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels::cuda::many {

using traversal::append;
using traversal::find;
using traversal::piece;

using word = unsigned long long;

constexpr int block_threads = 1024;
constexpr int blocks_an_sm = 1;                         // 64 registers a thread: little spills
constexpr unsigned group = plan::device_mark_vertices;  // vertices of a mark: one a lane
constexpr unsigned task_groups = 8;                     // groups that a warp takes at a time: marks of a word

/// Counters rotate over three levels: one read, one written, one cleared.
struct counters {
    unsigned pieces, vertices;
    word edges, pairs, pair_edges, closed_edges, sources;
    unsigned pairs_of[plan::batch_sources];
};
struct control {
    unsigned arrived;
    unsigned long_pieces;
    counters of[3];
};
/// What every thread is told of the frontier.
struct frontier_counts {
    unsigned pieces, vertices;
    word edges, pairs, sources;
    word slow;  // sources that go by push beside a pull
};
/// Up to the frontier.
struct sums {
    word open_edges, pair_edges, pairs;
};

template <class Offset>
struct search {
    std::uint32_t n, groups, source_count;
    word nnz;
    const Offset *out_offsets, *in_offsets;
    const std::uint32_t *out_neighbours, *in_neighbours;
    std::uint32_t max_depth;
    word push_edge, pull_vertices, slow_share;  // plan::many_costs
    std::uint32_t schedule_levels;
    word schedule_pulls;
    word *seen, *next, *frontier;
    word* planes;                // [plan::level_planes][stride]; with levels. The last is `frontier`
    std::uint64_t stride;        // words of a plane
    std::uint32_t* level_marks;  // two bytes a group, a bit a plane: it has something there
    unsigned char* marks;        // a byte a group: next is not empty there
    const std::uint32_t* in_empty;
    piece* queue;
    std::uint32_t* queue_from;  // whose row a piece is of
    word* long_pieces;          // a vertex in the upper half, a place in its column in the lower
    std::uint32_t* levels;
    std::uint64_t level_stride;
    vertex_sums of_vertices;
    control* shared;
    traverse_many_report* report;
    std::uint32_t source[plan::batch_sources];
};

/// Where the batch stands; every thread holds the same. (frontier_counts and sums are in shared memory: registers are scarce.)
struct progress {
    unsigned depth = 0;
    // With levels: they are written up to `base`, and the planes, where they are in use, have those after it.
    unsigned base = 0;
    bool in_planes = true;
    bool blindly = false;     // `next` may have bits that were seen
    bool all_marked = false;  // no marks are set: nearly all would be
    word *frontier, *finds;   // bits of the last level, and where those of this one go
    word active = 0;          // sources whose frontiers are not empty
};

/// What a block adds up over all levels.
struct tally {
    word level_sums[plan::batch_sources];
    unsigned reached[plan::batch_sources], depths[plan::batch_sources];
};

__device__ inline unsigned grid_thread() { return blockIdx.x * block_threads + threadIdx.x; }
__device__ inline unsigned grid_threads() { return gridDim.x * block_threads; }
/// Warps numbered so that neighbours lie on different multiprocessors: for work that does not fill the grid.
__device__ inline unsigned spread_warp() { return threadIdx.x / 32 * gridDim.x + blockIdx.x; }
__device__ inline unsigned grid_warps() { return grid_threads() / 32; }

/// plan::choose_many_direction on counts.
template <class Offset>
__device__ bool choose_pull(const search<Offset>& s, const progress& p, const frontier_counts& frontier,
                            word open_edges) {
    if (p.depth < s.schedule_levels) return s.schedule_pulls >> p.depth & 1;
    return s.push_edge * frontier.edges > open_edges + s.n / s.pull_vertices;
}

/// Whether a push does without looks at what neighbours have: long rows, and hardly anything is seen.
template <class Offset>
__device__ bool push_blindly(const search<Offset>& s, const frontier_counts& frontier, word seen_pairs) {
    return frontier.edges >= 16ull * frontier.vertices && seen_pairs * 16 < word{s.n} * s.source_count;
}

/// Nothing is waited for.
__device__ inline void add_bits(word* to, word bits) {
    asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(to), "l"(bits) : "memory");
}

/// Lane l's bit b becomes lane b's bit l.
__device__ inline unsigned transpose_bits(unsigned x) {
    unsigned low = 0x0000ffffu;
#pragma unroll
    for (unsigned half = 16; half; half /= 2, low ^= low << half) {
        const unsigned other = __shfl_xor_sync(full_warp, x, half);
        x = threadIdx.x & half ? (x & ~low) | (other >> half & low) : (x & low) | (other & low) << half;
    }
    return x;
}

}  // namespace nz::kernels::cuda::many
