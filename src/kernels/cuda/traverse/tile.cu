// traverse/tile on a GPU: breadth-first search over bit tiles, all levels in one cooperative kernel (ji2022, section 3.4).
//
// Where fronts are wide (plan::blocks_hold_tiles) and blocks have room, that of common_tile_held.cu: blocks hold tiles of 32, no barrier. Else:
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
// Edges (but of held tiles) and parents: a kernel of its own afterwards; a parent is the first in-neighbour one level up: the smallest.
// Grid: a block of 1,024 threads a multiprocessor, in clusters of 16; one barrier a level.
// Memory: four bitmaps, three queues of tile rows (2 bytes a vertex with tiles of 32) and the report.
// Determinism: levels, parents, and the size of every frontier; phases follow from those.
// Cost: push_csc: tiles of the frontier's tile rows, and of each a word for each vertex of the frontier in it. Parents: entries of each row
//   up to the first one level up, 0.03 of 0.34 ms on laplace3d:100.
// Distance to the limit (H200): bound by latency: held tiles 1.5 to 3 us a level, else 6.5 to 11 us a level by all blocks, 2.0 to 4.5 by the cluster, 1.3 by one block (H100: 0.77 by its first warps),
//   where a trip to L2 takes 0.2 to 0.3, a message 0.3 and a barrier of all 0.9: docs/measurements/tiles.md (tiles on a GPU).
// Why push_pull_fused was not enough: it asks for every edge whether it leads to something new; here a word asks for 32.
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/traverse/common_tile_held.cuh"
#include "kernels/cuda/traverse/common_tile_thin.cuh"
#include "kernels/cuda/traverse/tile.cuh"
#include "plan/workspace.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

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
        const finds all = wait_for_counts(&next).found;
        p.advance(now.rows);
        now = all;
        p.reached += now.vertices;
    }
    write_report(s, p, now);
}

constexpr unsigned finish_block = 256, finish_blocks_an_sm = 8;

/// The entries in the row of v, if it was reached.
__device__ unsigned long long edges_of(std::uint32_t v, device_offsets out, const std::int32_t* levels) {
    return levels[v] >= 0 ? static_cast<unsigned long long>(out[v + offset_t{1}] - out[v]) : 0;
}

/// The entries in the rows of all that was reached.
__global__ void __launch_bounds__(finish_block)
    count_edges(std::uint32_t vertices, device_offsets out, const std::int32_t* levels,
                unsigned long long* edges) {
    unsigned long long mine = 0;
    for (std::uint32_t v = blockIdx.x * finish_block + threadIdx.x; v < vertices;
         v += gridDim.x * finish_block)
        mine += edges_of(v, out, levels);
    add_edges(mine, edges);
}

/// Entries of a row that a lane looks through by itself; what is left goes to a warp, or to its block if it is more than so many.
constexpr unsigned finish_alone = 64, finish_by_warp = 4096;

/// The first in-neighbour at level `above` from entry `at` of a row on, a lane a row, a sector of eight entries a turn.
struct parent_search {
    offset_t at, end;
    std::int32_t above, parent;

    __device__ bool goes_on() const { return at < end && parent < 0; }
    __device__ void turn(const index_t* in_neighbours, const std::int32_t* levels) {
        constexpr int width = 8;
        const offset_t base = at / width * width;
        index_t u[width];
#pragma unroll
        for (int q = 0; q < width; q += 4) {
            const int4 four = __ldg(reinterpret_cast<const int4*>(in_neighbours + base + q));
            u[q] = four.x, u[q + 1] = four.y, u[q + 2] = four.z, u[q + 3] = four.w;
        }
        std::int32_t level[width];
#pragma unroll
        for (int k = 0; k < width; ++k)
            level[k] = base + k >= at && base + k < end ? levels[u[k]] : not_asked;
#pragma unroll
        for (int k = width - 1; k >= 0; --k)
            if (level[k] == above) parent = u[k];
        at = base + width;
    }

private:
    static constexpr std::int32_t not_asked = -2;  // no level, and no level's above
};

/// The same by `threads` of a warp or a block, four entries each a turn; -1 where there is none. `join(place)` is the least of theirs.
template <class Join>
__device__ std::int32_t parent_in_long_row(offset_t from, offset_t end, std::int32_t above, unsigned thread,
                                           unsigned threads, const index_t* in_neighbours,
                                           const std::int32_t* levels, Join&& join) {
    constexpr unsigned entries = 4, none = ~0u;
    for (; from < end; from += entries * threads) {
        index_t u[entries];
        std::int32_t level[entries];
#pragma unroll
        for (unsigned e = 0; e < entries; ++e) {
            const offset_t k = from + e * threads + thread;
            u[e] = k < end ? in_neighbours[k] : -1;
        }
#pragma unroll
        for (unsigned e = 0; e < entries; ++e) level[e] = u[e] >= 0 ? levels[u[e]] : -1;
        unsigned place = none;
#pragma unroll
        for (unsigned e = entries; e-- > 0;)
            if (u[e] >= 0 && level[e] == above) place = e * threads + thread;
        place = join(place);
        if (place != none) return in_neighbours[from + place];
    }
    return -1;
}

/// The entries in those rows, where they are asked for, and the parents: of every vertex that was reached the first in-neighbour one level up. A thread a vertex,
/// `share` of them a block and turn; what is left of long rows goes to the block's warps, and of the longest to the block.
__global__ void __launch_bounds__(finish_block)
    find_parents(std::uint32_t vertices, unsigned share, std::uint32_t source, device_offsets out,
                 device_offsets in, const index_t* in_neighbours, const std::int32_t* levels,
                 std::int32_t* parents, unsigned long long* edges) {
    __shared__ std::uint32_t long_rows[finish_block];
    __shared__ unsigned long_counts[2], first[3];  // in turns
    unsigned long long mine = 0;
    unsigned side = 0, turn = 0;
    if (threadIdx.x < 2) long_counts[threadIdx.x] = 0;
    if (threadIdx.x < 3) first[threadIdx.x] = ~0u;
    for (std::uint32_t base = blockIdx.x * share; base < vertices; base += gridDim.x * share, side ^= 1) {
        __syncthreads();
        const std::uint32_t v = base + threadIdx.x;
        if (threadIdx.x < share && v < vertices) {
            if (edges) mine += edges_of(v, out, levels);
            parent_search row{0, 0, levels[v] - 1, -1};
            if (row.above == 0 || v == source) row.parent = static_cast<std::int32_t>(source);
            if (row.above > 0) row.at = in[v], row.end = in[v + offset_t{1}];
            const offset_t alone = row.at + finish_alone;
            while (row.goes_on() && row.at < alone) row.turn(in_neighbours, levels);
            parents[v] = row.parent;
            if (row.goes_on()) long_rows[atomicAdd(&long_counts[side], 1u)] = v;
        }
        __syncthreads();
        if (threadIdx.x == 0) long_counts[side ^ 1] = 0;
        const unsigned count = long_counts[side];
        const auto rest = [&](unsigned k) { return in[long_rows[k]] + finish_alone; };
        const auto end = [&](unsigned k) { return in[long_rows[k] + offset_t{1}]; };
        for (unsigned k = threadIdx.x / 32; k < count; k += finish_block / 32) {
            if (end(k) - rest(k) > finish_by_warp) continue;
            const std::uint32_t u = long_rows[k];
            const std::int32_t parent = parent_in_long_row(
                rest(k), end(k), levels[u] - 1, threadIdx.x % 32, 32, in_neighbours, levels,
                [](unsigned place) { return __reduce_min_sync(full_warp, place); });
            if (threadIdx.x % 32 == 0) parents[u] = parent;
        }
        for (unsigned k = 0; k < count; ++k) {
            if (end(k) - rest(k) <= finish_by_warp) continue;
            const std::uint32_t u = long_rows[k];
            const std::int32_t parent =
                parent_in_long_row(rest(k), end(k), levels[u] - 1, threadIdx.x, finish_block, in_neighbours,
                                   levels, [&](unsigned place) {
                                       const unsigned next = turn == 2 ? 0 : turn + 1;
                                       if (threadIdx.x == 0)
                                           first[next] = ~0u;  // read two turns ago, before the last barrier
                                       place = __reduce_min_sync(full_warp, place);
                                       if (threadIdx.x % 32 == 0) atomicMin(&first[turn], place);
                                       __syncthreads();
                                       place = first[turn];
                                       turn = next;
                                       return place;
                                   });
            if (threadIdx.x == 0) parents[u] = parent;
        }
    }
    if (edges) add_edges(mine, edges);
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
    s.shared = reinterpret_cast<control*>(memory.take<std::byte>(512));
    s.state = memory.take<row_state<Word>>(s.words);
    for (auto& queue : s.queue) queue = memory.take<queued_row>(s.words);
    const device_offsets out{a.out_offsets.data, a.out_offsets.wide},
        in{a.in_offsets.data, a.in_offsets.wide};
    bool held = false;
    if constexpr (std::is_same_v<Word, std::uint32_t>) {
        held = d.hold && holds(s, d.multiprocessors);
        if (held) held_search(s, out, d.multiprocessors, stream);
    }
    if (!held)
        launch_resident<tile_kernel<Word>>(
            s, {static_cast<int>(block_threads), static_cast<int>(cluster_blocks), 1}, d.multiprocessors,
            stream);
    const auto blocks = static_cast<unsigned>(d.multiprocessors) * finish_blocks_an_sm;
    auto* const edges = reinterpret_cast<unsigned long long*>(&d.report->edges);
    if (a.parents) {
        const unsigned share = std::clamp((s.vertices / blocks + 31) / 32 * 32, 32u, finish_block);
        find_parents<<<blocks, finish_block, 0, stream>>>(s.vertices, share, s.source, out, in,
                                                          a.in_neighbours, a.levels, a.parents,
                                                          held ? nullptr : edges);
    } else if (!held)
        count_edges<<<blocks, finish_block, 0, stream>>>(s.vertices, out, a.levels, edges);
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
