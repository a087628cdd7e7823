// traverse/push_pull_fused on a GPU: breadth-first search, all levels in one cooperative kernel, no host in the loop
// (yang2018, algorithm 1, with its five optimisations as run-time switches; a sixth, duplicates, is in common_repeats.cuh).
//
// Push: the frontier is a queue of pieces of rows (up to 128 edges each, 512 where a warp finds many rows at once), so
//   that hubs spread over the grid without a step of their own and the next level reads neighbours without looking up
//   offsets first. A group of lanes (4 to 32, by the mean length) takes a piece, up to four edges a lane in flight,
//   stage by stage: neighbours, bits or levels, offsets beside claims. A vertex is claimed by its bit in the visited set (atomicOr) in thin
//   levels and on wide graphs, by the word of its level (atomicExch; its smallest parent, atomicMin) in other levels by the grid: there finds have
//   numbers close by, and their bits lie in a few lines of L2, which take claims one by one (laplace3d:80 0.72 -> 0.46 ms).
//   Pieces past what the rule may push are dropped: the next level pulls. On wide graphs a level whose frontier has more edges than the
//   rule pushes vertices queues nothing at all (rmat:22,32 0.104 -> 0.094 ms), and a warp whose finds make 1,024 pieces and more leaves those
//   out (a level of 1,865 hubs found from one vertex 19.8 -> 9.3 us); should the next push, it takes its queue from the levels.
// Thin levels (few pieces and edges): one cluster of 16 blocks goes on alone, its queue in shared memory, while the
//   grid waits: a level then costs a cluster barrier, not one of the grid (common_thin.cuh).
// Pull: a warp takes 32 words of 32 vertices and hands their open ones to its lanes; each lane looks through one
//   vertex's in-neighbours, a sector of 8 at a time, for one in the visited set (operand reuse), up to the first (early
//   exit), then takes the next; past 64 the warp helps. On graphs with hubs the vertices' two strongest
//   in-neighbours, the two first where the smallest parent is asked, come before, in order of the vertices (common_heads.cu): 94 to 99.9% of what the
//   first pull finds, for 8 bytes a vertex read in order. Where few vertices are visited before it, most rows are read in vain: neighbours are
//   asked of 4 KiB of shared memory first, in which the visited have a bit by a hash, and the first 64 of up to 32 rows are read by the whole
//   warp, four a lane, without early exit (rmat:22,32 from its slowest sources 114 -> 93 -> 80 us, 410 vertices of rmat:20,16 48 -> 36). It is a
//   function apart: with it inline the other levels of rmat:22,32 took 3 us more, for want of registers.
//   (32 KiB for up to 52,000 vertices cost others 6 us: their bits to set, and that much first-level cache.) Else the visited set, or a bit for 2 or 4 vertices of it, is
//   copied to shared memory first. Two bitmaps alternate: one is read, the other written whole, so that a level needs
//   one barrier. Vertices without in-neighbours are a cached bitmap.
// What is not reached gets its level (and parent), on wide graphs, from the first pull, which writes there anyway, or at the end where none
//   comes: before the search that cost rmat:22,32 5 us. (Claims by words, smallest parents and switches ask levels: there it is done before.)
// The last look at who is through a level has its counts as well: a trip to the L2 less a level.
// Grid: a block of 1,024 threads a multiprocessor, in clusters of 16; one barrier a level. Where the plan
//   gives a small graph one cluster, the barriers are the cluster's and the launch is a plain one. Clusters of 16 leave the
//   multiprocessors idle that do not come in sixteens (20 or more of 132): graphs whose levels are few and wide get clusters of 2, and
//   a kernel without thin levels: two thirds of the instructions, nothing spilled, 44 KiB more left to the first-level cache.
// The report's beginning is stored to the host's pinned memory at the end: most searches need no copy after the kernel.
// Memory: two queues of pieces, three bitmaps, a coarse one and the report (plan::push_pull_fused_device_workspace).
// Determinism: levels always. Parents: `smallest` lowers the parent by atomicMin over all claims of the level in
//   push, and pull meets the smallest first; `any` keeps the claimer.
// Cost: push: frontier edges * (neighbour, bit). Pull: unvisited vertices * (two offsets, sectors to the first hit).
// Distance to the limit (H200, levels): 23, 37, 18 and 54% of the floor by bytes and gathers on rmat:20,16, rmat:22,32,
//   uniform:1048576,16 and grid2d:2000,0.3; a pull's chain of dependent reads costs 8 us or more, few vertices or
//   many: docs/measurements/bfs.md.
// Why the loop over mxv was not enough: a launch and a read-back a level cost 10 us, a level here 1 to 3.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/traverse/common_pull.cuh"
#include "kernels/cuda/traverse/common_thin.cuh"
#include "kernels/cuda/traverse/push_pull_fused.cuh"
#include "plan/traverse.hpp"
#include "plan/workspace.hpp"

#include <algorithm>
#include <cmath>

namespace nz::kernels::cuda {
namespace traversal {
namespace {

/// Whether levels of what is not reached are written by the first pull, or at the end, not before the search: where nobody asks a level
/// whether it is.
template <parents Kind, form Form>
constexpr bool fills_late = Form == form::wide && Kind != parents::smallest;

template <parents Kind, form Form, class Offset>
__device__ void initialise(const search<Offset>& s) {
    if constexpr (!fills_late<Kind, Form>)
        for (unsigned i = grid_thread(); i < s.n; i += grid_threads()) {
            if (i == s.source) continue;
            s.levels[i] = not_reached;
            if constexpr (Kind != parents::none) s.parents_of[i] = not_reached;
        }
    for (unsigned w = grid_thread(); w < s.words; w += grid_threads())
        s.visited[0][w] = w == s.source / 32 ? 1u << (s.source % 32) : 0;
    if (Form == form::wide && s.filter && grid_thread() < filter_words) {
        const std::uint32_t h = hash_of(s.source);
        s.filter[grid_thread()] = grid_thread() == h / 32 ? 1u << h % 32 : 0;
    }
    if (grid_thread() >= 32) return;
    if (grid_thread() == 0) {
        s.levels[s.source] = 0;
        if constexpr (Kind != parents::none) s.parents_of[s.source] = s.source;
        *s.shared = {};
    }
    __syncwarp();
    counters& of = s.shared->of[0];
    find f[1];
    f[0].found = grid_thread() == 0;
    f[0].vertex = s.source;
    f[0].begin = static_cast<std::uint64_t>(s.out_offsets[s.source]);
    f[0].degree = static_cast<std::uint32_t>(s.out_offsets[s.source + 1] - static_cast<Offset>(f[0].begin));
    queue_source<Kind>(s, of, f);
    if (f[0].found) of.vertices = 1, of.edges = f[0].degree;
}

template <class Offset>
__device__ void finish(const search<Offset>& s, const progress& p) {
    if (blockIdx.x != 0) return;  // it has written all records
    if (threadIdx.x == 0) {
        s.report->levels = p.depth;
        s.report->reached = p.reached;
        s.report->edges = p.edges;
        s.report->end_ticks = static_cast<std::uint64_t>(clock64());
    }
    __syncthreads();
    const unsigned words =
        (offsetof(traverse_told, records) + min(p.depth, traverse_told::capacity) * sizeof(traverse_record)) /
        sizeof(std::uint64_t);
    if (threadIdx.x < words)
        reinterpret_cast<std::uint64_t*>(s.told)[threadIdx.x] =
            reinterpret_cast<const std::uint64_t*>(s.report)[threadIdx.x];
}

/// One thread of each block reads what the grid has counted: if all did, the reads of one address would queue for tens
/// of microseconds.
__device__ counters tell(counters& of) {
    __shared__ counters told;
    if (threadIdx.x == 0) told = {fresh(of.pieces), fresh(of.vertices), fresh(of.edges)};
    __syncthreads();
    const counters mine = told;
    __syncthreads();
    return mine;
}
__device__ void hand_back(control& c, progress& p) {
    __shared__ progress told;
    if (threadIdx.x == 0) {
        told = p;
        told.depth = fresh(c.depth);
        told.previous = fresh(c.previous);
        told.reached = fresh(c.reached);
        told.edges = fresh(c.total_edges);
        told.side = 0;
    }
    __syncthreads();
    p = told;
    __syncthreads();
}

struct no_mail {};

template <parents Kind, form Form, class Offset>
__global__ void __launch_bounds__(block_threads, blocks_an_sm)
    push_pull_fused_kernel(const __grid_constant__ search<Offset> s) {
    constexpr bool Plain = is_plain(Form), wide = Form == form::wide, repeats = Form == form::repeating;
    __shared__ thin_shared memory;
    const unsigned clusters = gridDim.x / s.cluster_blocks;
    const bool has_thin = s.cluster_blocks == cluster_blocks;
    unsigned target = 0;
    const auto sync = [&] {
        if (clusters == 1) return wait_for_cluster();
        wait_for_grid(&s.shared->arrived, target);
    };
    [[maybe_unused]] auto mail = [&] {
        if constexpr (wide)
            return no_mail{};
        else
            return cluster_mail(memory.mail);
    }();
    initialise<Kind, Form>(s);
    // What our own barrier counts with is zero from here on: no launch to clear it.
    if (clusters == 1)
        cg::this_cluster().sync();
    else
        cg::this_grid().sync();
    progress p;
    p.filter = wide && s.filter;
    counters now = tell(s.shared->of[0]);
    while (true) {
        counters& next = s.shared->of[(p.depth + 1) % 3];
        const unsigned size = now.vertices;
        const unsigned long long edges = now.edges;
        if (size == 0 || p.depth >= s.max_depth) {
            p.edges += edges;
            break;
        }
        const unsigned previous = p.previous;
        bool pulls = choose_pull(s, p, size, edges);
        if (repeats && p.queued) {  // pushes have left the bitmaps behind
            const bool over = now.pieces > s.capacity;
            pulls |= over && s.pull_steps_in;
            if (pulls || over) {
                mark_by_levels(s, p);
                sync();
            }
            if (over && !pulls) {  // each vertex once fits
                if (grid_thread() == 0) s.shared->of[p.depth % 3].pieces = 0;
                sync();
                p.queued = false;
            }
        }
        if (wide && (now.pieces & not_all_queued)) {
            p.queued = false;
            if (!pulls) {
                sync();  // slower blocks may still be reading the counts
                if (grid_thread() == 0) s.shared->of[p.depth % 3].pieces = 0;
                sync();
            }
        }
        if (!pulls && !p.queued) {
            queue_finds<Kind>(s, p, s.shared->of[p.depth % 3]);
            sync();
            now.pieces = tell(s.shared->of[p.depth % 3]).pieces;
            p.queued = true;
        }
        pulls |= now.pieces > s.capacity &&
                 (!repeats || s.pull_steps_in);  // less than full room is given only where pull can step in
        if constexpr (!wide)
            if (!pulls && has_thin && now.pieces <= thin_enter && edges <= thin_edges(s) &&
                (s.thin || p.depth >= thin_from)) {
                p.previous = previous;  // the cluster comes to the same choice
                p.pulls = false;
                sync();  // the cluster writes over what slower blocks may still be reading of the level before
                if (blockIdx.x < cluster_blocks)
                    thin_search<Kind, repeats, Offset>(s, memory, mail, p).run(now);
                sync();
                hand_back(*s.shared, p);
                now = tell(s.shared->of[p.depth % 3]);
                continue;
            }
        const bool after_push = !p.pulls;
        p.pulls = pulls;
        p.edges += edges;
        if (grid_thread() == 0) {
            record_level(s, p.depth, pulls, size, edges);
            s.shared->of[(p.depth + 2) % 3] = {0, 0, 0};
        }
        if (pulls) {
            if (!Plain && !s.operand_reuse) {
                mark_frontier(s, p);
                sync();
            }
            const bool plain = repeats ? s.plain_pull : Plain;
            if (plain && s.coarse_shift && after_push) {
                make_coarse(s, p);
                sync();
            }
            const bool fills = fills_late<Kind, Form> && !p.filled;
            if (repeats && plain)
                pull_level<Kind, true, false>(s, p, edges, false, next);
            else if (wide && p.filter)
                pull_from_few<Kind>(s, p.depth, p.current, fills, next);
            else
                pull_level<Kind, Plain, false>(s, p, edges, fills, next);
            p.filled = true;
            p.filter = false;
            p.current ^= 1;
            p.queued = false;
        } else {
            p.filter &= wide && p.reached + edges <= filter_room;
            // So many edges may find more vertices than the rule pushes, and mostly do: a queue would be made for nothing.
            p.queued = !wide || edges <= s.alpha_size || !s.pull_steps_in;
            constexpr claims by =
                Kind == parents::smallest || Form == form::plain ? claims::words : claims::bits;
            if (p.queued)
                push_level<Kind, by, repeats, true, wide>(s, p, now, next);
            else if constexpr (wide)
                push_level<Kind, by, false, false, true>(s, p, now, next);
            p.side ^= 1;
        }
        if (repeats ||
            clusters == 1) {  // repeats may count more edges than there is room for beside the blocks
            sync();
            now = tell(next);
        } else {
            now = wait_for_counts(&next);
        }
        ++p.depth;
        p.reached += now.vertices;
    }
    if (fills_late<Kind, Form> && !p.filled) fill_rest<Kind>(s, p);
    if constexpr (repeats) {
        counters& all = s.shared->of[(p.depth + 1) % 3];
        count_reached(s, all);
        sync();
        const counters told = tell(all);
        p.reached = told.vertices;
        p.edges = told.edges;
    }
    finish(s, p);
}

/// Of shared memory, for the visited set: what is left of a multiprocessor's 256 KiB holds the loads in flight, of
/// which pull lives, so that more here is slower.
constexpr int near_bytes = 136 * 1024;

static_assert(cluster_blocks == plan::cluster_blocks_on_device && block_threads == plan::block_vertices);

static_assert(plan::least_queue_on_device >= offset_t{cluster_blocks} * thin_slots);

template <parents Kind, form Form, class Offset>
void launch(const search<Offset>& s, const device_traverse_arguments& d, cudaStream_t stream) {
    launch_resident<push_pull_fused_kernel<Kind, Form, Offset>>(
        s,
        {block_threads, d.cluster_blocks, blocks_an_sm,
         s.coarse_bytes                   ? near_bytes
         : Form == form::wide && s.filter ? static_cast<int>(filter_words * sizeof(std::uint32_t))
         : Form == form::repeating        ? recent_bytes
                                          : 0,
         near_bytes, d.blocks},
        d.multiprocessors, stream);
}

template <class Offset>
void divide_workspace(search<Offset>& s, const device_traverse_arguments& d) {
    plan::workspace_parts memory(d.common.workspace);
    s.shared = memory.take<control>(1);
    for (auto** map : {&s.visited[0], &s.visited[1], &s.frontier}) *map = memory.take<std::uint32_t>(s.words);
    for (s.coarse_shift = 0; s.coarse_shift < 3; ++s.coarse_shift) {
        s.coarse_bytes = (s.words * 4) >> s.coarse_shift;
        if (s.coarse_bytes <= near_bytes - 16) break;
        s.coarse_bytes = 0;
    }
    if (s.heads) s.coarse_bytes = 0;
    if (!s.coarse_bytes) s.coarse_shift = 0;
    s.coarse = memory.take<unsigned char>(s.words * 2 + 16);
    s.filter = s.heads ? reinterpret_cast<std::uint32_t*>(s.coarse) : nullptr;
    for (auto** queue : {&s.queue[0], &s.queue[1]}) *queue = memory.take<piece>(d.queue_capacity);
    if (d.common.parents)
        for (auto** from : {&s.queue_from[0], &s.queue_from[1]})
            *from = memory.take<std::uint32_t>(d.queue_capacity);
}

template <class Offset>
void run(const device_traverse_arguments& d, cudaStream_t stream) {
    const traverse_arguments& a = d.common;
    search<Offset> s{};
    s.n = static_cast<std::uint32_t>(a.vertices);
    s.words = (s.n + 31) / 32;
    s.out_offsets = static_cast<const Offset*>(a.out_offsets.data);
    s.in_offsets = static_cast<const Offset*>(a.in_offsets.data);
    s.out_neighbours = reinterpret_cast<const std::uint32_t*>(a.out_neighbours);
    s.in_neighbours = reinterpret_cast<const std::uint32_t*>(a.in_neighbours);
    s.out_values = a.switches.structure_only ? nullptr : a.out_values;
    s.in_values = a.switches.structure_only ? nullptr : a.in_values;
    s.source = static_cast<std::uint32_t>(a.source);
    s.max_depth =
        a.max_depth < 0 ? ~0u : static_cast<std::uint32_t>(std::min<offset_t>(a.max_depth, a.vertices));
    const auto n = static_cast<double>(a.vertices);
    s.alpha_size = static_cast<std::uint32_t>(std::min(a.thresholds.alpha * n, n));
    s.beta_size = static_cast<std::uint32_t>(std::min(std::ceil(a.thresholds.beta * n), n));
    s.edge_limit = static_cast<unsigned long long>(a.thresholds.edge_share * static_cast<double>(d.nnz));
    s.may_change = a.switches.change_direction && a.in_offsets.data;
    s.masking = a.switches.masking;
    s.early_exit = a.switches.early_exit;
    s.operand_reuse = a.switches.operand_reuse;
    s.symmetric = d.symmetric;
    s.schedule_levels = static_cast<std::uint32_t>(a.schedule.size());
    for (std::size_t l = 0; l < a.schedule.size(); ++l)
        s.schedule_pulls |= static_cast<unsigned long long>(a.schedule[l] == direction::pull) << l;
    s.levels = reinterpret_cast<std::uint32_t*>(a.levels);
    s.parents_of = reinterpret_cast<std::uint32_t*>(a.parents);
    s.in_empty = d.in_empty;
    s.heads = reinterpret_cast<const uint2*>(d.heads);
    s.pull_steps_in = s.may_change && a.schedule.empty();
    s.capacity = static_cast<std::uint32_t>(d.queue_capacity);
    const offset_t rows = a.vertices;
    s.thin = d.nnz <= 8 * rows;
    s.lanes = 2 * d.nnz <= 9 * rows ? 4 : s.thin ? 8 : d.nnz <= 16 * rows ? 16 : 32;
    s.cluster_blocks = static_cast<std::uint32_t>(d.cluster_blocks);
    s.report = d.report;
    s.told = d.told;
    divide_workspace(s, d);
    const bool plain = s.masking && s.early_exit && s.operand_reuse && !s.in_values;
    s.plain_pull = plain;
    const auto go = [&]<parents Kind>() {
        a.switches.duplicates                ? launch<Kind, form::repeating>(s, d, stream)
        : !plain                             ? launch<Kind, form::switched>(s, d, stream)
        : s.cluster_blocks == cluster_blocks ? launch<Kind, form::plain>(s, d, stream)
                                             : launch<Kind, form::wide>(s, d, stream);
    };
    if (!a.parents)
        go.template operator()<parents::none>();
    else if (a.smallest_parent)
        go.template operator()<parents::smallest>();
    else
        go.template operator()<parents::any>();
}

}  // namespace
}  // namespace traversal

void push_pull_fused(const device_traverse_arguments& arguments, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    arguments.common.out_offsets.wide ? traversal::run<std::int64_t>(arguments, on)
                                      : traversal::run<std::int32_t>(arguments, on);
}

}  // namespace nz::kernels::cuda
