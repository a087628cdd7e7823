// The grid's own steps of shortest/delta_stepping: a round over a queue in memory, and the pass that finds what is to
// be relaxed.
#pragma once

#include "kernels/cuda/shortest/common_paths.cuh"

namespace nz::kernels::cuda::paths {

__device__ inline unsigned grid_thread() { return blockIdx.x * block_threads + threadIdx.x; }
__device__ inline unsigned grid_threads() { return gridDim.x * block_threads; }

/// The same threads, numbered so that neighbouring warps lie on different multiprocessors: for work that does not
/// fill the grid.
__device__ inline unsigned spread_thread() {
    return (threadIdx.x / 32 * gridDim.x + blockIdx.x) * 32 + threadIdx.x % 32;
}

/// A round: the near pieces of one queue, finds within the bound to the other.
template <class Weight>
__device__ void relax_round(const search<Weight>& s, const progress<Weight>& p, tally& t, unsigned count,
                            counters& next) {
    using key = typename length<Weight>::key;
    const entry<key>* const queue = s.queue[p.side];
    entry<key>* const out = s.queue[p.side ^ 1];
    relax<turn_edges, true>(
        s, t, count, spread_thread(), grid_threads(), [&](unsigned i) { return queue[i]; },
        [&](const find<key>(&finds)[turn_edges]) {
            append(
                finds, [&](const find<key>& f) { return f.found && f.distance < p.bound; },
                [&](std::uint32_t total) { return atomicAdd(&next.pieces, total); },
                [&](std::uint32_t at, const entry<key>& e) {
                    if (at < s.capacity) out[at] = e;
                });
        });
}

/// What threads of a block found beyond the bound, one atomic a block.
__device__ inline void add_far(counters& to, unsigned far, unsigned long long smallest) {
    __shared__ unsigned block_far;
    __shared__ unsigned long long block_smallest;
    if (threadIdx.x == 0) block_far = 0, block_smallest = ~0ull;
    __syncthreads();
    if (far) {
        atomicAdd(&block_far, far);
        atomicMin(&block_smallest, smallest);
    }
    __syncthreads();
    if (threadIdx.x == 0 && block_far) {
        atomicAdd(&to.far, block_far);
        atomicMin(&to.smallest, block_smallest);
    }
}

/// Looks at all vertices: those with a distance that they were not relaxed from go to the queue if it is within `bound`,
/// else they are counted. Whoever has no edges is done.
template <class Weight>
__device__ void sweep(const search<Weight>& s, const progress<Weight>& p, typename length<Weight>::key bound,
                      counters& into) {
    using key = typename length<Weight>::key;
    constexpr int at_a_time = 4;
    entry<key>* const out = s.queue[p.side];
    unsigned far = 0;
    unsigned long long smallest = ~0ull;
    const unsigned lane = threadIdx.x % 32;
    const std::uint64_t step = std::uint64_t{grid_threads()} * at_a_time;
    for (std::uint64_t first = std::uint64_t{spread_thread() / 32} * 32 * at_a_time; first < s.n; first += step) {
        find<key> finds[at_a_time];
        key done[at_a_time];
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            const std::uint64_t v = first + static_cast<unsigned>(i) * 32 + lane;
            finds[i].vertex = static_cast<std::uint32_t>(v);
            finds[i].distance = v < s.n ? fresh(s.distance[v]) : 0;
            done[i] = v < s.n ? fresh(s.done[v]) : 0;
        }
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            find<key>& f = finds[i];
            if (f.distance >= done[i]) continue;
            s.row(f.vertex, f.begin, f.degree);
            f.found = f.degree > 0 && f.distance < bound;
            if (f.degree == 0) s.done[f.vertex] = f.distance;
            if (f.degree == 0 || f.found) continue;
            far += f.pieces();
            smallest = min(smallest, static_cast<unsigned long long>(f.distance));
        }
        append(
            finds, [](const find<key>& f) { return f.found; },
            [&](std::uint32_t total) { return atomicAdd(&into.pieces, total); },
            [&](std::uint32_t at, const entry<key>& e) {
                if (at < s.capacity) out[at] = e;
            });
    }
    add_far(into, far, smallest);
}

}  // namespace nz::kernels::cuda::paths
