// shortest/delta_stepping on a GPU: single-source shortest paths, vertices nearer than a bound first, all rounds in one
// cooperative kernel, no host in the loop (delta-stepping with the buckets beyond the present one kept as one: the
// near-far form).
//
// Round: the near vertices are a queue of pieces of rows (up to 128 edges each), so that hubs spread over the grid. A warp
//   takes a piece a lane, drops the stale ones, and shares the edges of the others, four a lane in flight. Distances are
//   words whose order is that of the lengths, lowered by atomicMin; a vertex that became nearer is queued with that
//   distance, and an entry whose vertex has another by now is stale. Pieces gather in shared memory by warp on their way to
//   the queue, whose length is one word.
// Buckets: the bound rises by delta, the first times by less (plan::delta_first_share): the first hops lead to hubs, whose
//   long rows are relaxed again for every shorter way found later.
// What is beyond the bound is not kept by the grid: a second word a vertex holds the distance that it was last relaxed
//   from, so a pass over both finds what is left, whatever was dropped for want of room.
// Few pieces: one cluster of 16 blocks goes on alone, near and far lists in its shared memory, while the grid waits
//   (common_thin.cuh), four lanes a piece where rows have few edges. A list that overflows sends the search back to the grid, which finds everything by that pass.
// Parents: a pass over the edges, an equal share of them a warp: the smallest nearer vertex whose edge gives the
//   distance, by atomicMin. Edges of length 0 are left to the host.
// Grid: a block of 1,024 threads a multiprocessor, in clusters of 16; one barrier a round.
// Memory: two queues of pieces and one word a vertex (plan::shortest_device_workspace).
// Determinism: distances are the one least fixed point (adding is monotone, also in floating point), parents follow from
//   them; rounds and relaxations vary with the timing.
// Cost: relaxed edges * (8 or 16 bytes, a scattered read); relaxed edges are those of reached vertices times what is
//   relaxed again. Distance to the limit: docs/measurements/graphs.md.
// Why the loop over mxv was not enough: a launch and a read-back a round cost 10 us, and it relaxes from every vertex that
//   changed, near or far.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/shortest/common_thin.cuh"
#include "kernels/cuda/shortest/common_wide.cuh"
#include "kernels/cuda/shortest/delta_stepping.cuh"
#include "plan/workspace.hpp"

#include <algorithm>

namespace nz::kernels::cuda {
namespace paths {
namespace {

template <class Weight, class Offset>
__device__ void initialise(const search<Weight, Offset>& s) {
    using key = typename length<Weight>::key;
    for (unsigned i = grid_thread(); i < s.n; i += grid_threads()) {
        s.distance[i] = i == s.source ? 0 : length<Weight>::unreached;
        s.done[i] = length<Weight>::unreached;
    }
    if (grid_thread() < 3) s.shared->of[grid_thread()].smallest = ~0ull;
    if (grid_thread() >= 32) return;
    find<key, Offset> f[1];
    f[0].found = grid_thread() == 0;
    f[0].vertex = s.source;
    f[0].begin = s.offsets[s.source];
    f[0].end = s.offsets[s.source + 1];
    append(
        f, [](const find<key, Offset>& source) { return source.found; },
        [&](std::uint32_t total) { return s.shared->of[0].pieces = total, 0u; },  // all lanes write the same
        [&](std::uint32_t at, const entry<key>& e) { s.queue[0][at] = e; });
}

/// One thread of each block reads what others have written: if all did, the reads of one address would queue.
__device__ counters tell(counters& of) {
    __shared__ counters told;
    if (threadIdx.x == 0) told = {fresh(of.pieces), fresh(of.far), fresh(of.smallest)};
    __syncthreads();
    const counters mine = told;
    __syncthreads();
    return mine;
}
template <class Weight>
__device__ bool hand_back(control& c, progress<Weight>& p) {
    __shared__ control told;
    if (threadIdx.x == 0) {
        told.bound = fresh(c.bound);
        told.delta = fresh(c.delta);
        told.rounds = fresh(c.rounds);
        told.buckets = fresh(c.buckets);
        told.finished = fresh(c.finished);
    }
    __syncthreads();
    p.bound = static_cast<typename length<Weight>::key>(told.bound);
    p.delta = static_cast<typename length<Weight>::key>(told.delta);
    p.rounds = told.rounds;
    p.buckets = told.buckets;
    const bool finished = told.finished;
    __syncthreads();
    return finished;
}

template <class Weight, class Offset>
__device__ void finish(const search<Weight, Offset>& s, const progress<Weight>& p, const tally& t) {
    __shared__ unsigned long long relaxations;
    if (threadIdx.x == 0) relaxations = 0;
    __syncthreads();
    if (t.relaxations) atomicAdd(&relaxations, t.relaxations);
    if (t.dropped) s.report->dropped = 1;
    __syncthreads();
    if (threadIdx.x == 0 && relaxations)
        atomicAdd(reinterpret_cast<unsigned long long*>(&s.report->relaxations), relaxations);
    if (grid_thread() != 0) return;
    s.report->rounds = p.rounds;
    s.report->buckets = p.buckets;
}

template <class Weight, class Offset>
__global__ void __launch_bounds__(block_threads, blocks_an_sm)
    delta_stepping_kernel(const __grid_constant__ search<Weight, Offset> s) {
    using key = typename length<Weight>::key;
    __shared__ thin_shared memory;
    __shared__ piece_notes<key> notes[block_threads / 32];
    unsigned target = 0;
    progress<Weight> p;
    p.delta = s.first_delta;
    p.bound = length<Weight>::bound(0, p.delta);
    // Ends a step: what it counted; the counters after the next are cleared.
    const auto counted = [&] {
        if (grid_thread() == 0) s.shared->of[(p.step + 1) % 3] = {0, 0, ~0ull};
        wait_for_grid(&s.shared->arrived, target);
        return tell(s.shared->of[p.step++ % 3]);
    };
    const auto swept = [&](key bound) {
        sweep(s, p, bound, s.shared->of[p.step % 3]);
        return counted();
    };
    tally t;
    cluster_mail mail(memory.mail);
    initialise(s);
    counters now = counted();
    bool listed = true;  // the queue holds all there is to relax, near or far
    while (true) {
        if (listed) {
            if (blockIdx.x < cluster_blocks)
                thin_search<Weight, Offset>(s, memory, mail, t, notes[threadIdx.x / 32]).run(p, now.pieces);
            wait_for_grid(&s.shared->arrived, target);
            if (hand_back(*s.shared, p)) break;
            listed = false;
        }
        now = swept(p.bound);
        if (now.pieces == 0) {
            if (now.far == 0) break;
            p.raise(static_cast<key>(now.smallest), s.delta);
            continue;
        }
        if (now.pieces <= s.thin_pieces / 2 && now.far <= most_far_pieces<key>) {
            now = swept(length<Weight>::unreached);
            listed = true;
            continue;
        }
        while (now.pieces > 0 && now.pieces <= s.capacity) {
            relax_round(s, p, t, notes[threadIdx.x / 32], now.pieces, s.shared->of[p.step % 3]);
            p.side ^= 1;
            ++p.rounds;
            now = counted();
        }
        if (now.pieces > 0) continue;  // more than the queue holds: they are found again
        p.raise(p.bound, s.delta);
    }
    finish(s, p, t);
}

constexpr int chunk_edges = 4096;  // of the parents' pass: a search in the offsets a chunk

/// The row that edge k lies in, among rows first .. last.
template <class Offset>
__device__ std::uint32_t row_of(const Offset* offsets, std::uint64_t k, std::uint32_t first,
                                std::uint32_t last) {
    while (first < last) {
        const std::uint32_t middle = first + (last - first + 1) / 2;
        if (offsets[middle] <= k)
            first = middle;
        else
            last = middle - 1;
    }
    return first;
}

template <class Weight, class Offset>
__global__ void __launch_bounds__(block_threads)
    shortest_parents_kernel(const search<Weight, Offset> s, unsigned long long nnz, std::uint32_t* parents) {
    const std::uint64_t warps = grid_threads() / 32;
    for (std::uint64_t first = std::uint64_t{grid_thread() / 32} * chunk_edges; first < nnz;
         first += warps * chunk_edges) {
        const std::uint64_t end = min(static_cast<std::uint64_t>(nnz), first + chunk_edges);
        const std::uint32_t low = row_of(s.offsets, first, 0, s.n - 1),
                            high = row_of(s.offsets, end - 1, low, s.n - 1);
#pragma unroll 4
        for (std::uint64_t k = first + threadIdx.x % 32; k < end; k += 32) {
            const auto edge = load_once(s.edges + k);
            const std::uint32_t v = s.target(edge), u = row_of(s.offsets, k, low, high);
            const auto from = s.distance[u], to = s.distance[v];
            if (from < to && to != length<Weight>::unreached &&
                length<Weight>::add(from, s.weight(edge)) == to)
                atomicMin(parents + v, u);
        }
    }
    if (grid_thread() == 0) parents[s.source] = s.source;
}

template <class Weight, class Offset>
void launch(const search<Weight, Offset>& s, int multiprocessors, cudaStream_t stream) {
    launch_resident<delta_stepping_kernel<Weight, Offset>>(
        s, {block_threads, cluster_blocks, blocks_an_sm, lists_bytes, lists_bytes}, multiprocessors, stream);
}

constexpr unsigned thin_pieces_of_many_edges = 1536;

template <class Weight, class Offset>
void run(const device_shortest_arguments& a, cudaStream_t stream) {
    using key = typename length<Weight>::key;
    search<Weight, Offset> s{};
    s.n = static_cast<std::uint32_t>(a.vertices);
    s.offsets = static_cast<const Offset*>(a.offsets);
    s.edges = static_cast<const typename search<Weight, Offset>::raw_edge*>(a.edges);
    s.source = static_cast<std::uint32_t>(a.source);
    s.delta = path_length<Weight>::of(delta_as<Weight>(a.delta));
    s.first_delta = path_length<Weight>::of(delta_as<Weight>(a.first_delta));
    s.distance = static_cast<key*>(a.distances);
    s.capacity = static_cast<std::uint32_t>(a.list_capacity);
    s.few_edges = a.nnz <= plan::few_edges * a.vertices;
    s.turn_pieces = s.few_edges ? block_threads / thin_lanes : block_threads / 32;
    // As many as the cluster takes in three turns of rows of few edges: past that the grid is faster.
    s.thin_pieces = std::min(
        s.capacity, s.few_edges ? cluster_blocks * near_slots<key> * 3 / 4 : thin_pieces_of_many_edges);
    s.report = a.report;
    plan::workspace_parts memory(a.workspace);
    s.shared = memory.take<control>(1);
    s.done = memory.take<key>(a.vertices);
    for (auto** queue : {&s.queue[0], &s.queue[1]}) *queue = memory.take<entry<key>>(a.list_capacity);
    check(cudaMemsetAsync(s.shared, 0, sizeof(control), stream));
    check(cudaMemsetAsync(s.report, 0, sizeof(shortest_report), stream));
    launch(s, a.multiprocessors, stream);
    if (!a.parents) return;
    check(cudaMemsetAsync(a.parents, 0xff, static_cast<std::size_t>(a.vertices) * 4, stream));
    shortest_parents_kernel<Weight, Offset>
        <<<static_cast<unsigned>(2 * a.multiprocessors), block_threads, 0, stream>>>(
            s, static_cast<unsigned long long>(a.nnz), reinterpret_cast<std::uint32_t*>(a.parents));
    check(cudaGetLastError());
}

}  // namespace
}  // namespace paths

void delta_stepping(const device_shortest_arguments& arguments, void* stream) {
    with_weight(arguments.type, [&]<class Weight>(std::type_identity<Weight>) {
        const auto on = static_cast<cudaStream_t>(stream);
        arguments.wide_offsets ? paths::run<Weight, std::uint64_t>(arguments, on)
                               : paths::run<Weight, std::uint32_t>(arguments, on);
    });
}

}  // namespace nz::kernels::cuda
