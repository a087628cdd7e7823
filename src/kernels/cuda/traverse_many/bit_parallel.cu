// traverse_many/bit_parallel on a GPU: breadth-first searches from up to 64 sources at once, bit s of a vertex's word
// for source s, all levels in one cooperative kernel, no host in the loop (Then et al., "The more the merrier", VLDB
// 2014).
//
// A level has two phases, each ended by a barrier of the grid. The first collects in next(v) the sources that reach v:
//   push: a queue of pieces of rows (up to 128 edges each, so that hubs spread over the grid); a group of lanes (4 to
//     32, by the frontier's mean piece and the number of pieces) takes a piece, up to four edges a lane in flight, the
//     next piece on its way; bits that a neighbour lacks are set by atomicOr. While hardly anything is seen nobody looks
//     whether it does: the sweep leaves out what was seen. Where such a level has several edges a group of vertices, no
//     marks are set: the sweep looks at every group.
//   pull: a warp takes eight groups of 32 vertices and lists those that lack bits; each lane looks through one
//     vertex's in-neighbours, four at a time, until no bit is missing; past 64 the warp helps. Columns of more than
//     1,024 entries are pieces for any warp. Pull reads seen(u), which does not change in this phase: a bit that u has
//     and v lacks came to u in the level before. Bits whose frontier has died out are not asked for. Nor are those of
//     slow sources, which few vertices have: every row would be looked through to its end for them, so they are pushed
//     beside the pull.
// The second, the sweep, moves next into seen where a mark (a byte for 32 vertices) says that there is something: a warp
//   lists the vertices of eight groups whose words changed, and gives each lane up to three of them at a time. It
//   counts vertices, pairs and edges, and each source's finds by transposing squares of bits between lanes; queues the
//   frontier. The finds of each of the first nine levels stay in a plane of their own, and are written once at the end or
//   in the tenth level, 4 bytes a source and vertex; later ones at once where they are few (common_levels.cuh). Sums of a
//   vertex need no levels: its depth and the number of its new bits.
// Grid: a block of 1,024 threads a multiprocessor.
// Memory: three words a vertex, eight more with levels, marks, one queue (plan::bit_parallel_device_workspace), the report.
// Determinism: levels and counts always; the order of the queue is not.
// Cost: push: frontier edges * (atomicOr, and a word read before it except in the first levels). Pull: vertices, and
//   in-neighbours up to the last missing bit: few once most bits are set. Sweep: words of marked groups, and what changed.
// Distance to the limit: on an H200 7% of the floor for counts, 18% with levels on rmat:20,16, which counts a word and an
//   offset a vertex, a look a visit and a barrier a level. Most is pulls, whose looks come at three fifths of the gather rate
//   where nothing stops them early (uniform), and atomic operations (docs/measurements/bfs.md).
// Why single searches were not enough: each reads the same edges again, and pays its own barriers.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/traverse_many/bit_parallel.cuh"
#include "kernels/cuda/traverse_many/common_levels.cuh"
#include "kernels/cuda/traverse_many/common_steps.cuh"
#include "plan/workspace.hpp"

#include <algorithm>

namespace nz::kernels::cuda {
namespace many {
namespace {

template <class Offset>
__device__ void clear(const search<Offset>& s, tally& all) {
    auto* const seen = reinterpret_cast<ulonglong2*>(s.seen);
    auto* const next = reinterpret_cast<ulonglong2*>(s.next);
    for (std::uint64_t i = grid_thread(); i < s.stride / 2; i += grid_threads()) seen[i] = next[i] = {0, 0};
    for (unsigned t = grid_thread(); t * task_groups < s.groups; t += grid_threads())
        reinterpret_cast<word*>(s.marks)[t] = 0;
    if (s.level_marks) clear_level_marks(s);
    if (threadIdx.x >= plan::batch_sources) return;
    all.level_sums[threadIdx.x] = 0;
    all.reached[threadIdx.x] = all.depths[threadIdx.x] = 0;
    if (blockIdx.x > 0) return;
    s.report->reached[threadIdx.x] = s.report->level_sums[threadIdx.x] = 0;
    s.report->depths[threadIdx.x] = 0;
}

/// By one block.
__device__ inline void clear(counters& of) {
    for (unsigned i = threadIdx.x; i < sizeof(counters) / sizeof(unsigned); i += block_threads)
        reinterpret_cast<unsigned*>(&of)[i] = 0;
}

template <class Offset>
__device__ void set_sources(const search<Offset>& s) {
    if (grid_thread() >= s.source_count) return;
    const std::uint32_t v = s.source[grid_thread()];
    atomicOr(&s.next[v], word{1} << grid_thread());
    s.marks[v / group] = 1;
}

/// What the grid has counted, and the sums over levels, in shared memory: one thread of each block reads it, for the sources one each.
template <class Offset>
__device__ void tell(const search<Offset>& s, counters& of, frontier_counts& told, sums& all) {
    if (threadIdx.x < plan::batch_sources) {
        const word pairs = fresh(of.pairs_of[threadIdx.x]);
        const unsigned half = __ballot_sync(full_warp, pairs > 0 && pairs * s.slow_share < s.n);
        if (threadIdx.x % 32 == 0) reinterpret_cast<unsigned*>(&told.slow)[threadIdx.x / 32] = half;
    }
    if (threadIdx.x == 0) {
        told.pieces = fresh(of.pieces);
        told.vertices = fresh(of.vertices);
        told.edges = fresh(of.edges);
        told.pairs = fresh(of.pairs);
        told.sources = fresh(of.sources);
        all.open_edges -= fresh(of.closed_edges);
        all.pair_edges += fresh(of.pair_edges);
        all.pairs += told.pairs;
    }
    __syncthreads();
}

template <class Offset>
__device__ void record_level(const search<Offset>& s, const progress& p, bool pulls,
                             const frontier_counts& of, word open_edges) {
    if (p.depth < traverse_many_report::capacity)
        s.report->records[p.depth] = {of.vertices,
                                      pulls,
                                      of.slow,
                                      of.pairs,
                                      of.edges,
                                      open_edges,
                                      static_cast<std::uint64_t>(clock64())};
}

template <class Offset>
__device__ void add_tally(const search<Offset>& s, const tally& all) {
    const unsigned b = threadIdx.x;
    if (b >= plan::batch_sources || !all.reached[b]) return;
    auto* const reached = reinterpret_cast<word*>(&s.report->reached[b]);
    atomicAdd(reached, word{all.reached[b]});
    atomicAdd(reinterpret_cast<word*>(&s.report->level_sums[b]), all.level_sums[b]);
    atomicMax(&s.report->depths[b], all.depths[b]);
}

template <bool Levels, class Offset>
__global__ void __launch_bounds__(block_threads, blocks_an_sm)
    bit_parallel_kernel(const __grid_constant__ search<Offset> s) {
    __shared__ tally all;
    __shared__ frontier_counts frontier;
    __shared__ sums over_levels;
    unsigned target = 0;
    const auto sync = [&] { wait_for_grid(&s.shared->arrived, target); };
    clear(s, all);
    if (threadIdx.x == 0) over_levels = {s.nnz, 0, 0};
    sync();
    set_sources(s);
    list_long(s);
    sync();
    progress p;
    p.active = ~word{0} >> (plan::batch_sources - s.source_count);
    p.finds = s.frontier;
    while (true) {
        sweep<Levels>(s, p, s.shared->of[p.depth % 3], all);
        p.frontier = p.finds;
        sync();
        tell(s, s.shared->of[p.depth % 3], frontier, over_levels);
        p.active = frontier.sources;
        if (frontier.vertices == 0 || p.depth >= s.max_depth) break;
        const bool pulls = choose_pull(s, p, frontier, over_levels.open_edges);
        if (grid_thread() == 0) record_level(s, p, pulls, frontier, over_levels.open_edges);
        if (blockIdx.x == 0) clear(s.shared->of[(p.depth + 2) % 3]);
        ++p.depth;
        p.blindly = !pulls && push_blindly(s, frontier, over_levels.pairs);
        p.all_marked = p.blindly && frontier.edges >= 4ull * s.groups;
        if constexpr (Levels) begin_level(s, p, frontier, sync);
        if (pulls) {
            if (frontier.slow) push_slow(s, p.frontier, frontier);
            pull_long(s, p.active & ~frontier.slow);
            pull_level(s, p.active & ~frontier.slow);
        } else {
            push_level(s, p, frontier);
        }
        sync();
    }
    add_tally(s, all);
    if (grid_thread() == 0) {
        s.report->levels = p.depth;
        s.report->edges = over_levels.pair_edges;
        s.report->search_ticks = static_cast<std::uint64_t>(clock64());
    }
    if (Levels && p.in_planes) write_levels(s, p.base, p.depth - p.base);
    if (grid_thread() == 0) s.report->end_ticks = static_cast<std::uint64_t>(clock64());
}

template <bool Levels, class Offset>
void launch(const search<Offset>& s, int multiprocessors, cudaStream_t stream) {
    launch_resident<bit_parallel_kernel<Levels, Offset>>(s, {block_threads, 1, blocks_an_sm}, multiprocessors,
                                                         stream);
}

template <class Offset>
void run(const device_traverse_many_arguments& d, cudaStream_t stream) {
    const traverse_many_arguments& a = d.common;
    search<Offset> s{};
    s.n = static_cast<std::uint32_t>(a.vertices);
    s.groups = (s.n + group - 1) / group;
    s.source_count = static_cast<std::uint32_t>(a.sources.size());
    std::copy(a.sources.begin(), a.sources.end(), s.source);
    s.nnz = static_cast<word>(a.nnz);
    s.out_offsets = static_cast<const Offset*>(a.out_offsets.data);
    s.in_offsets = static_cast<const Offset*>(a.in_offsets.data);
    s.out_neighbours = reinterpret_cast<const std::uint32_t*>(a.out_neighbours);
    s.in_neighbours = reinterpret_cast<const std::uint32_t*>(a.in_neighbours);
    s.max_depth =
        a.max_depth < 0 ? ~0u : static_cast<std::uint32_t>(std::min<offset_t>(a.max_depth, a.vertices));
    s.push_edge = static_cast<word>(a.costs.push_edge);
    s.pull_vertices = static_cast<word>(a.costs.pull_vertices);
    s.slow_share = static_cast<word>(a.costs.slow_share);
    s.schedule_levels = static_cast<std::uint32_t>(a.schedule.size());
    for (std::size_t l = 0; l < a.schedule.size(); ++l)
        s.schedule_pulls |= static_cast<word>(a.schedule[l] == direction::pull) << l;
    plan::workspace_parts memory(a.workspace);
    s.shared = memory.take<control>(1);
    for (word** words : {&s.seen, &s.next}) *words = memory.take<word>(a.vertices);
    s.stride = plan::padded(s.n * sizeof(word)) / sizeof(word);
    if (d.levels) s.planes = memory.take<word>(static_cast<offset_t>((plan::level_planes - 1) * s.stride));
    s.frontier = memory.take<word>(a.vertices);
    s.marks = memory.take<unsigned char>(a.vertices / plan::device_mark_vertices + 8);
    if (d.levels)
        s.level_marks =
            memory.take<std::uint32_t>(a.vertices / (2 * plan::device_mark_vertices) + task_groups);
    s.queue = memory.take<piece>(d.queue_capacity);
    s.queue_from = memory.take<std::uint32_t>(d.queue_capacity);
    s.long_pieces = memory.take<word>(d.long_capacity);
    s.in_empty = d.in_empty;
    s.levels = reinterpret_cast<std::uint32_t*>(d.levels);
    s.level_stride = static_cast<std::uint64_t>(d.level_stride);
    s.of_vertices = a.of_vertices;
    s.report = d.report;
    check(cudaMemsetAsync(s.shared, 0, sizeof(control), stream));
    d.levels ? launch<true>(s, d.multiprocessors, stream) : launch<false>(s, d.multiprocessors, stream);
}

}  // namespace
}  // namespace many

void bit_parallel(const device_traverse_many_arguments& arguments, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    arguments.common.out_offsets.wide ? many::run<std::int64_t>(arguments, on)
                                      : many::run<std::int32_t>(arguments, on);
}

}  // namespace nz::kernels::cuda
