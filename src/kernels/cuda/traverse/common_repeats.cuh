// Pushes of traverse/push_pull_fused that tolerate repeats (switch duplicates; yang2018, section 7.3, of Gunrock). Nobody claims a
// vertex: a lane that reads that it is not reached may queue it, and most repeats are dropped by what the block has lately queued,
// a table in shared memory, or in thin levels by a comparison within the warp. Rows of many pieces are claimed, as a repeat
// would be dear. Pushes write levels alone: the bitmap is made of them before a pull, and where repeats have not fit into
// the queue, which is then made anew of both, each vertex once. What was reached is counted at the end.
#pragma once

#include "kernels/cuda/traverse/common_search.cuh"

namespace nz::kernels::cuda::traversal {

constexpr unsigned recent_slots = 2048;
constexpr int recent_bytes = recent_slots * sizeof(unsigned long long);
/// Rows of more edges are claimed. With that, pieces stay within 32 bits once a warp that finds the queue full puts no more there.
constexpr std::uint32_t dear_edges = few_pieces << piece_bits;

/// What was lately queued. A slot holds a vertex and the thread that found it. Of those that wrote one vertex there, each that is
/// dropped has seen a later one: the last stays.
struct block_finds {
    /// All threads of the block, before the first is dropped.
    __device__ static void clear() {
        for (unsigned i = threadIdx.x; i < recent_slots; i += block_threads)
            reinterpret_cast<unsigned long long*>(near_words)[i] = ~0ull;
        __syncthreads();
    }
    /// Drops finds that are there already. All lanes of a warp take part.
    template <int Count>
    __device__ __forceinline__ static void cull(find (&finds)[Count]) {
#pragma unroll
        for (find& f : finds) f.found = f.found && at(f).load(::cuda::memory_order_relaxed) >> 32 != f.vertex;
#pragma unroll
        for (find& f : finds)
            if (f.found)
                at(f).store(static_cast<unsigned long long>(f.vertex) << 32 | threadIdx.x,
                            ::cuda::memory_order_relaxed);
        __syncwarp();
#pragma unroll
        for (find& f : finds) {
            if (!f.found) continue;
            const unsigned long long there = at(f).load(::cuda::memory_order_relaxed);
            f.found = there >> 32 != f.vertex || static_cast<std::uint32_t>(there) == threadIdx.x;
        }
        __syncwarp();
    }

private:
    using slot = ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_block>;
    __device__ static slot at(const find& f) {
        return slot(reinterpret_cast<unsigned long long*>(near_words)[f.vertex % recent_slots]);
    }
};
/// The warp alone, of which one lane keeps what several found.
struct warp_finds {
    template <int Count>
    __device__ __forceinline__ static void cull(find (&finds)[Count]) {
#pragma unroll
        for (find& f : finds) {
            const unsigned same = __match_any_sync(full_warp, f.found ? f.vertex : not_reached);
            f.found = f.found && threadIdx.x % 32 == __ffs(static_cast<int>(same)) - 1u;
        }
    }
};

/// Leaves as found those that are not reached, by a plain read, and not lately queued. Where the smallest parent is wanted all finds of
/// this level lower it.
template <parents Kind, class Recent, int Count, class Offset>
__device__ __forceinline__ void look(const search<Offset>& s, std::uint32_t level, std::uint32_t u,
                                     find (&finds)[Count]) {
    std::uint32_t seen[Count];
#pragma unroll
    for (int e = 0; e < Count; ++e) seen[e] = finds[e].found ? fresh(s.levels[finds[e].vertex]) : 0;
#pragma unroll
    for (int e = 0; e < Count; ++e) {
        if constexpr (Kind == parents::smallest)
            if (finds[e].found && seen[e] >= level) atomicMin(&s.parents_of[finds[e].vertex], u);
        finds[e].found = finds[e].found && seen[e] == not_reached;
    }
    Recent::cull(finds);
}

/// What claim() is without duplicates: writes levels and parents. Degrees are known.
template <parents Kind, int Count, class Offset>
__device__ __forceinline__ void take_unclaimed(const search<Offset>& s, std::uint32_t level, std::uint32_t u,
                                               find (&finds)[Count]) {
#pragma unroll
    for (find& f : finds) {
        if (!f.found) continue;
        if (f.degree > dear_edges)
            f.found = atomicCAS(&s.levels[f.vertex], not_reached, level) == not_reached;
        else
            s.levels[f.vertex] = level;
        if constexpr (Kind == parents::any)
            if (f.found) s.parents_of[f.vertex] = u;
    }
}

/// The bitmap that pulls leave: what is reached.
template <class Offset>
__device__ void mark_by_levels(const search<Offset>& s, const progress& p) {
    for (unsigned w = blockIdx.x * (block_threads / 32) + threadIdx.x / 32; w < s.words;
         w += gridDim.x * (block_threads / 32)) {
        const std::uint32_t v = w * 32 + threadIdx.x % 32;
        const unsigned reached = __ballot_sync(full_warp, v < s.n && s.levels[v] != not_reached);
        if (threadIdx.x % 32 == 0) s.visited[p.current][w] = reached;
    }
}

}  // namespace nz::kernels::cuda::traversal
