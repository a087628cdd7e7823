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

/// Of a block's dynamic shared memory: the thin steps' lists, or what its warps have yet to put into a queue.
constexpr unsigned lists_bytes = 128 * 1024;
extern __shared__ uint4 lists_memory[];

/// Pieces on their way to a queue in memory, kept by warp: the queue's length is one word, and every addition to it
/// by each turn of each warp would wait for the one before.
template <class Key>
class outbox {
public:
    __device__ outbox(entry<Key>* queue, unsigned* length, unsigned capacity)
        : mine_(reinterpret_cast<entry<Key>*>(lists_memory) + threadIdx.x / 32 * slots),
          queue_(queue),
          length_(length),
          capacity_(capacity) {}

    /// Room for `total` pieces; all lanes of a warp.
    __device__ std::uint32_t room(std::uint32_t total) {
        if (held_ + total > slots) flush();
        direct_ = total > slots;
        if (direct_) return take_room(length_, total);
        return (held_ += total) - total;
    }
    __device__ void put(std::uint32_t at, const entry<Key>& e) {
        if (!direct_)
            mine_[at] = e;
        else if (at < capacity_)
            queue_[at] = e;
    }
    /// All threads of the block, at the end: one addition a block.
    __device__ void close() {
        __shared__ unsigned held_by[block_threads / 32];
        __shared__ unsigned base;
        if (threadIdx.x % 32 == 0) held_by[threadIdx.x / 32] = held_;
        __syncthreads();
        if (threadIdx.x < 32) {
            const unsigned mine = held_by[threadIdx.x];
            unsigned sum = mine;
            for (unsigned step = 1; step < 32; step *= 2) {
                const unsigned below = __shfl_up_sync(full_warp, sum, step);
                if (threadIdx.x >= step) sum += below;
            }
            held_by[threadIdx.x] = sum - mine;
            if (threadIdx.x == 31) base = sum ? atomicAdd(length_, sum) : 0;
        }
        __syncthreads();
        send(base + held_by[threadIdx.x / 32]);
    }

private:
    static constexpr unsigned slots = lists_bytes / (block_threads / 32) / sizeof(entry<Key>);

    __device__ void flush() {
        if (held_) send(take_room(length_, held_));
        __syncwarp();
        held_ = 0;
    }
    __device__ void send(unsigned base) const {
        __syncwarp();
        for (unsigned i = threadIdx.x % 32; i < held_; i += 32)
            if (base + i < capacity_) queue_[base + i] = mine_[i];
    }

    entry<Key>* const mine_;
    entry<Key>* const queue_;
    unsigned* const length_;
    const unsigned capacity_;
    unsigned held_ = 0;
    bool direct_ = false;
};

/// A round: the near pieces of one queue, finds within the bound to the other.
template <class Weight, class Offset>
__device__ void relax_round(const search<Weight, Offset>& s, const progress<Weight>& p, tally& t,
                            piece_notes<typename length<Weight>::key>& notes, unsigned count,
                            counters& next) {
    using key = typename length<Weight>::key;
    const entry<key>* const queue = s.queue[p.side];
    outbox<key> out(s.queue[p.side ^ 1], &next.pieces, s.capacity);
    relax_pieces(
        s, t, notes, count, spread_thread() / 32, grid_threads() / 32, [&](unsigned i) { return queue[i]; },
        [&](const find<key, Offset>(&finds)[turn_edges]) {
            append(
                finds, [&](const find<key, Offset>& f) { return f.found && f.distance < p.bound; },
                [&](std::uint32_t total) { return out.room(total); },
                [&](std::uint32_t at, const entry<key>& e) { out.put(at, e); });
        });
    out.close();
}

/// What threads of a block found beyond the bound, one atomic a warp and one a block.
__device__ inline void add_far(counters& to, unsigned far, unsigned long long smallest) {
    __shared__ unsigned block_far;
    __shared__ unsigned long long block_smallest;
    if (threadIdx.x == 0) block_far = 0, block_smallest = ~0ull;
    __syncthreads();
    far = __reduce_add_sync(full_warp, far);
    for (unsigned step = 16; step; step /= 2)
        smallest = min(smallest, __shfl_xor_sync(full_warp, smallest, step));
    if (far && threadIdx.x % 32 == 0) {
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
template <class Weight, class Offset>
__device__ void sweep(const search<Weight, Offset>& s, const progress<Weight>& p,
                      typename length<Weight>::key bound, counters& into) {
    using key = typename length<Weight>::key;
    constexpr int at_a_time = 4;
    outbox<key> out(s.queue[p.side], &into.pieces, s.capacity);
    unsigned far = 0;
    unsigned long long smallest = ~0ull;
    const unsigned lane = threadIdx.x % 32;
    const std::uint64_t step = std::uint64_t{grid_threads()} * at_a_time;
    for (std::uint64_t first = std::uint64_t{spread_thread() / 32} * 32 * at_a_time; first < s.n;
         first += step) {
        find<key, Offset> finds[at_a_time];
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
            find<key, Offset>& f = finds[i];
            f.found = f.distance < done[i];
            if (!f.found) continue;
            f.begin = s.offsets[f.vertex];
            f.end = s.offsets[f.vertex + 1];
        }
#pragma unroll
        for (int i = 0; i < at_a_time; ++i) {
            find<key, Offset>& f = finds[i];
            if (!f.found) continue;
            if (f.degree() == 0) s.done[f.vertex] = f.distance;
            f.found = f.degree() > 0 && f.distance < bound;
            if (f.degree() == 0 || f.found) continue;
            far += f.pieces();
            smallest = min(smallest, static_cast<unsigned long long>(f.distance));
        }
        append(
            finds, [](const find<key, Offset>& f) { return f.found; },
            [&](std::uint32_t total) { return out.room(total); },
            [&](std::uint32_t at, const entry<key>& e) { out.put(at, e); });
    }
    out.close();
    add_far(into, far, smallest);
}

}  // namespace nz::kernels::cuda::paths
