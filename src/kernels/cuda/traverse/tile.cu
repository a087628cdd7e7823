// traverse/tile on a GPU: breadth-first search over bit tiles, all levels in one cooperative kernel (ji2022, section 3.4).
//
// push_csc: the frontier is a word of 32 or 64 bits a tile row, and a queue of the tile rows in which it has vertices and of where
//   their tiles are. A warp takes up to 32 tile rows and deals all their tiles out to its lanes: an OR of the frontier's words in a
//   tile is what it finds of another tile row, put there by one atomicOr, whose answer says which vertices are new and whether the tile
//   row is. A lane asks for two words by itself. Where all occupied rows of a tile are asked the header says what they find; other tiles
//   with more than two vertices are the whole block's, a warp each, but for those that reach nothing new.
// push_csr: every tile row with unvisited vertices, a warp each: tiles whose words meet a visited vertex, a lane a vertex.
// pull_csc: the same where few vertices are unvisited: a lane a tile, up to the first that meets, vertex by vertex; rows with many
//   of them go as in push_csr. Both ask the visited set in place of the frontier (yang2018's operand reuse), and deal tile rows round
//   the warps one by one. By tiles, no word is read of one all of whose columns have been visited.
// Frontiers of three levels take turns: the one before is cleared by its queue, so that a level needs one barrier, whose last look at
//   who is through has the counts as well.
// Thin levels (common_tile_thin.cuh): up to 32 tile rows one block goes on alone, up to 256 (4,096 where these have few tiles)
//   one cluster, queues in shared memory, a barrier of the block or a message between 16 blocks a level. Up to 8 tile rows eight
//   warps of a block go on, claims in shared memory, while four more read ahead what they will ask for (common_tile_front.cuh).
// Edges and parents: kernels of their own afterwards; a parent is the first in-neighbour one level up: the smallest.
// Grid: a block of 1,024 threads a multiprocessor, in clusters of 16; one barrier a level.
// Memory: four bitmaps, three queues of tile rows (2 bytes a vertex with tiles of 32) and the report.
// Determinism: levels, parents, and the size of every frontier; phases follow from those.
// Cost: push_csc: tiles of the frontier's tile rows, and of each a word for each vertex of the frontier in it.
// Distance to the limit (H200): bound by latency: 6.5 to 11 us a level by all blocks, 2.0 to 4.5 by the cluster, 1.3 by one block (H100: 0.77 by its first warps),
//   where a trip to L2 takes 0.2 to 0.3, a message 0.3 and a barrier of all 0.9: docs/measurements.md (tiles on a GPU).
// Why push_pull_fused was not enough: it asks for every edge whether it leads to something new; here a word asks for 32.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/traverse/common_tile_thin.cuh"
#include "kernels/cuda/traverse/tile.cuh"
#include "plan/workspace.hpp"

#include <algorithm>
#include <cmath>

namespace nz::kernels::cuda {
namespace tiled {
namespace {

using plan::tile_phase;

__device__ unsigned grid_thread() { return blockIdx.x * block_threads + threadIdx.x; }
__device__ unsigned grid_threads() { return gridDim.x * block_threads; }

template <class Word>
__device__ void initialise(const search<Word>& s, finds bounds) {
    constexpr int size = search<Word>::size;
    for (unsigned i = grid_thread(); i < s.vertices; i += grid_threads()) s.levels[i] = -1;
    const std::uint32_t home = s.source / size;
    for (unsigned w = grid_thread(); w < s.words; w += grid_threads())
        s.state[w] = {0, {w == home ? Word{1} << (s.source % size) : Word{0}, 0, 0}};
    if (grid_thread() != 0) return;
    *s.shared = {};
    s.shared->left.bounds = bounds;
    const tile_range tiles = s.out.range(home);
    s.queue[0][0] = {home, tiles.begin, tiles.end};
}

/// Counts in memory, both halves at once.
__device__ unsigned count_in(finds* found, finds sum) {
    return static_cast<unsigned>(atomicAdd(reinterpret_cast<unsigned long long*>(found),
                                           static_cast<unsigned long long>(sum.vertices) << 32 | sum.rows));
}

/// What lanes have found of the next level, one tile row each: to the queue and the counts.
template <class Word>
__device__ void put(const search<Word>& s, queued_row* next, finds* found, bool first, Word vertices,
                    std::uint32_t row) {
    tile_range tiles{};
    if (first) tiles = s.out.range(row);
    add_rows(
        first, vertices, row, [&](finds sum) { return count_in(found, sum); },
        [&](unsigned at, std::uint32_t) { next[at] = {row, tiles.begin, tiles.end}; });
}

template <class Word>
__device__ void push_level(const search<Word>& s, const progress& p, unsigned count, finds* found,
                           const asked_tiles<Word>& kept, unsigned& kept_next) {
    const queued_row* const queue = s.queue[p.turn];
    queued_row* const next = s.queue[p.next()];
    const unsigned step = gridDim.x * block_warps;
    const bool outside = s.has_outside();
    const unsigned lane = threadIdx.x % 32;
    const auto add = [&](bool first, Word vertices, std::uint32_t row) {
        put(s, next, found, first, vertices, row);
    };
    // A lane looks up a tile row, of all that the warp will go through.
    for (unsigned base = threadIdx.x / 32 * gridDim.x + blockIdx.x; base < count; base += step * 32) {
        const unsigned k = base + lane * step;
        const bool has = k < count;
        queued_row mine{};
        if (has) mine = queued_row::read(queue + k);
        row_state<Word>& state = s.state[mine.row];
        Word vertices = 0, visited = 0;
        if (has) {
            vertices = __ldcg(&state.frontier[p.turn]);
            visited = __ldcg(&state.visited);
        }
        const int rows = __popc(__ballot_sync(full_warp, has));
        expand(
            s, mine, vertices, rows, p.turn, outside, kept,
            [&] {  // what a barrier would wait for goes first
                if (has) state.visited = visited | vertices;
                for (int t = 0; t < rows; ++t)
                    write_levels(s, __shfl_sync(full_warp, mine.row, t), __shfl_sync(full_warp, vertices, t),
                                 p.depth);
            },
            add);
    }
    __syncthreads();
    if (threadIdx.x == 0) kept_next = 0;
    expand_kept(s, kept, p.turn, add);
}

/// Rows with more than one open vertex for so many tiles go by tiles in pull_csc too: a vertex costs two trips to L2, a tile one.
constexpr unsigned open_vertices_a_tile = 2;

template <class Word>
__device__ bool fills_tiles(const search<Word>& s, std::uint32_t w, Word open) {
    const auto [begin, end] = s.in.range(w);
    return static_cast<unsigned>(bits_in(open)) * open_vertices_a_tile > end - begin;
}

/// Tile rows go round the warps one by one: open ones lie side by side, and a warp goes through its own in turn.
template <class Word>
__device__ void pull_level(const search<Word>& s, const progress& p, tile_phase phase, finds* found) {
    queued_row* const next = s.queue[p.next()];
    const reached_words<Word> reached{s, p.turn};
    const unsigned lane = threadIdx.x % 32, warps = gridDim.x * block_warps,
                   warp = threadIdx.x / 32 * gridDim.x + blockIdx.x;
    for (unsigned base = warp; base < s.words; base += warps * 32) {
        const unsigned row = base + lane * warps;
        Word mine = 0, frontier = 0, open_here = 0;
        const bool has = row < s.words;
        if (has) {
            frontier = s.state[row].frontier[p.turn];
            const Word had = __ldcg(&s.state[row].visited) | frontier;
            open_here = s.valid(row) & ~had;
            s.state[row].visited = had;
        }
        for (unsigned todo = __ballot_sync(full_warp, frontier != 0); todo; todo &= todo - 1) {
            const int t = __ffs(static_cast<int>(todo)) - 1;
            write_levels(s, base + static_cast<unsigned>(t) * warps, __shfl_sync(full_warp, frontier, t),
                         p.depth);
        }
        for (unsigned todo = __ballot_sync(full_warp, open_here != 0); todo; todo &= todo - 1) {
            const int t = __ffs(static_cast<int>(todo)) - 1;
            const Word open = __shfl_sync(full_warp, open_here, t);
            const std::uint32_t w = base + static_cast<unsigned>(t) * warps;
            Word now = phase == tile_phase::pull_csc && !fills_tiles(s, w, open)
                           ? pull_by_vertices(s, reached, w, open)
                           : pull_by_tiles(s, reached, w, open);
            if (open & ~now) now |= pull_outside(s, reached, w, static_cast<Word>(open & ~now));
            if (lane == static_cast<unsigned>(t)) mine = now;
        }
        if (has && mine) s.state[row].frontier[p.next()] = mine;
        put(s, next, found, mine != 0, mine, row);
    }
}

/// One thread of each block reads what thin levels have left.
__device__ thin_left tell(const thin_left& written) {
    __shared__ thin_left told;
    if (threadIdx.x == 0) {
        const auto* at = reinterpret_cast<const uint4*>(&written);
        const uint4 x = __ldcg(at), y = __ldcg(at + 1);
        told = {{x.x, x.y}, {x.z, x.w}, {y.x, y.y}};
    }
    __syncthreads();
    return told;  // the next writes come after a barrier
}

template <class Word>
__device__ void write_report(const search<Word>& s, const progress& p, finds now) {
    // Where the depth ends the search, the last frontier has not been looked at.
    for (unsigned k = threadIdx.x / 32 * gridDim.x + blockIdx.x; k < now.rows; k += gridDim.x * block_warps) {
        const std::uint32_t row = __ldcg(&s.queue[p.turn][k].row);
        write_levels(s, row, __ldcg(&s.state[row].frontier[p.turn]), p.depth);
    }
    if (grid_thread() != 0) return;
    s.report->levels = p.depth;
    s.report->reached = p.reached;
    s.report->edges = 0;
    s.report->end_ticks = static_cast<std::uint64_t>(clock64());
}

template <class Word>
__global__ void __launch_bounds__(block_threads) tile_kernel(const search<Word> s) {
    __shared__ thin_shared<Word> thin;
    cluster_mail mail(thin.mail);
    unsigned target = 0;
    const auto sync = [&] { wait_for_grid(&s.shared->arrived, target); };
    const bool few_tiles = narrow(s);
    finds bounds{alone_enter, few_tiles ? narrow_enter : wide_enter};
    if (threadIdx.x < 2) thin.asked[threadIdx.x] = 0;
    initialise(s, bounds);
    cooperative_groups::this_grid().sync();
    progress p;
    finds now{1, 1};
    unsigned side = 0;
    while (now.vertices && p.depth < s.max_depth) {
        const tile_phase phase = choose(s, p, now);
        if (phase == tile_phase::push_csc && now.rows <= max(bounds.rows, bounds.vertices)) {
            const bool alone = now.rows <= bounds.rows;
            sync();  // who goes on writes over what slower blocks may still be reading of the level before
            if (alone && blockIdx.x == 0) thin_search<Word, 1, 32>(s, thin, mail).run(p, now);
            if (!alone && blockIdx.x < cluster_blocks) {
                if (few_tiles)
                    thin_search<Word, cluster_blocks, narrow_lanes>(s, thin, mail).run(p, now);
                else
                    thin_search<Word, cluster_blocks, 32>(s, thin, mail).run(p, now);
            }
            sync();
            const thin_left left = tell(s.shared->left);
            bounds = left.bounds;
            now = left.found;
            p.depth = left.where.rows;
            p.reached = left.where.vertices;
            p.turn = p.depth % 3;
            p.rows_before = 0;
            continue;
        }
        const unsigned last = grid_threads() - 1 - grid_thread();  // who has the least to do
        for (unsigned k = last; k < p.rows_before; k += grid_threads())
            s.state[__ldcg(&s.queue[p.before()][k].row)].frontier[p.before()] = 0;
        if (grid_thread() == 0)
            record(s, p.depth, phase, now);  // as all levels: other multiprocessors' clocks differ
        if (last == 0) s.shared->level[(p.depth + 2) % 4] = {{0, 0}, 0};
        level_finds& next = s.shared->level[(p.depth + 1) % 4];
        if (phase == tile_phase::push_csc)
            push_level(s, p, now.rows, &next.found, thin.kept(side), thin.asked[side ^ 1]), side ^= 1;
        else
            pull_level(s, p, phase, &next.found);
        const grid_counts all = wait_for_counts(reinterpret_cast<grid_counts*>(&next));
        p.advance(now.rows);
        now = {static_cast<unsigned>(all.first), static_cast<unsigned>(all.first >> 32)};
        p.reached += now.vertices;
    }
    write_report(s, p, now);
}

constexpr unsigned finish_block = 256, finish_lanes = 8, finish_blocks_an_sm = 8;

/// The entries in the rows of all that was reached.
__global__ void __launch_bounds__(finish_block)
    count_edges(std::uint32_t vertices, device_offsets out, const std::int32_t* levels,
                unsigned long long* edges) {
    unsigned long long mine = 0;
    for (std::uint32_t v = blockIdx.x * finish_block + threadIdx.x; v < vertices;
         v += gridDim.x * finish_block)
        if (levels[v] >= 0) mine += static_cast<unsigned long long>(out[v + offset_t{1}] - out[v]);
    for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(full_warp, mine, distance);
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(edges, sum);
}

/// The first in-neighbour one level up; eight lanes a vertex.
__global__ void __launch_bounds__(finish_block)
    find_parents(std::uint32_t vertices, std::uint32_t source, device_offsets in,
                 const index_t* in_neighbours, const std::int32_t* levels, std::int32_t* parents) {
    const unsigned v = (blockIdx.x * finish_block + threadIdx.x) / finish_lanes,
                   lane = threadIdx.x % finish_lanes;
    const unsigned lanes = 0xffu << (threadIdx.x % 32 / finish_lanes * finish_lanes);
    if (v >= vertices) return;
    const std::int32_t level = levels[v];
    std::int32_t parent = v == source ? static_cast<std::int32_t>(v) : -1;
    if (level > 0) {
        const offset_t end = in[v + offset_t{1}];
        for (offset_t k = in[v]; k < end && parent < 0; k += finish_lanes) {
            const index_t u = k + lane < end ? in_neighbours[k + lane] : 0;
            const unsigned found = __ballot_sync(lanes, k + lane < end && levels[u] == level - 1);
            if (found)
                parent =
                    __shfl_sync(lanes, u, (__ffs(static_cast<int>(found)) - 1) % finish_lanes, finish_lanes);
        }
    }
    if (lane == 0) parents[v] = parent;
}

template <class Word>
tile_rows<Word> rows_of(const bit_tile_arrays& a) {
    return {a.tile_ranges,
            static_cast<const storage::tile_header<Word>*>(a.headers),
            static_cast<const Word*>(a.words),
            a.extracted_ranges,
            a.extracted_rows,
            a.extracted_columns,
            a.tiles,
            a.extracted};
}

template <class Word>
void run(const device_tile_arguments& d, cudaStream_t stream) {
    const tile_arguments& a = d.common;
    search<Word> s{};
    s.vertices = static_cast<std::uint32_t>(a.vertices);
    s.words = (s.vertices + search<Word>::size - 1) / search<Word>::size;
    s.source = static_cast<std::uint32_t>(a.source);
    s.max_depth = a.max_depth < 0 ? ~0u : static_cast<unsigned>(std::min<offset_t>(a.max_depth, a.vertices));
    s.out = rows_of<Word>(a.out);
    s.in = rows_of<Word>(a.in);
    const auto n = static_cast<double>(a.vertices);
    s.dense = static_cast<unsigned>(std::min(std::ceil(a.thresholds.density * n), n));
    s.few = static_cast<unsigned>(std::min(a.thresholds.unvisited * n, n));
    s.unvisited_a_frontier = static_cast<float>(a.thresholds.unvisited_a_frontier);
    s.levels = a.levels;
    s.report = d.report;
    plan::workspace_parts memory(a.workspace);
    s.shared = memory.take<control>(1);
    s.state = memory.take<row_state<Word>>(s.words);
    for (auto& queue : s.queue) queue = memory.take<queued_row>(s.words);
    launch_resident<tile_kernel<Word>>(
        s, {static_cast<int>(block_threads), static_cast<int>(cluster_blocks), 1}, d.multiprocessors, stream);
    count_edges<<<static_cast<unsigned>(d.multiprocessors) * finish_blocks_an_sm, finish_block, 0, stream>>>(
        s.vertices, {a.out_offsets.data, a.out_offsets.wide}, a.levels,
        reinterpret_cast<unsigned long long*>(&d.report->edges));
    if (a.parents) {
        const offset_t threads = offset_t{a.vertices} * finish_lanes;
        find_parents<<<static_cast<unsigned>((threads + finish_block - 1) / finish_block), finish_block, 0,
                       stream>>>(s.vertices, s.source, {a.in_offsets.data, a.in_offsets.wide},
                                 a.in_neighbours, a.levels, a.parents);
    }
    check(cudaGetLastError());
}

}  // namespace
}  // namespace tiled

void tile_search(const device_tile_arguments& arguments, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    arguments.common.size == 64 ? tiled::run<std::uint64_t>(arguments, on)
                                : tiled::run<std::uint32_t>(arguments, on);
}

}  // namespace nz::kernels::cuda
