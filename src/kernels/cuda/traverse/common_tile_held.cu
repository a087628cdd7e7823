// A search over bit tiles of 32 by blocks that hold their share of it: of each tile row the visited set and the frontier, of each of its tiles
// what a frontier there finds, in shared memory.
//
// A level has no barrier of the grid. What leaves a block is a word of the frontier for each of its tile rows and levels, 8 bytes that one store
//   writes, with the level's number in the upper half. Who needs it looks until that number is there: the word and the news that
//   it is there are one trip. Nobody claims anything: a tile row's vertices are its block's alone.
// In a block: sixteen warps look for the words of the columns in which it has tiles (`look`), others write the last frontier's levels, one
//   thread keeps count. Then all warps go through the tiles of the columns that had vertices, a lane a tile (`find`; words of tiles with
//   more than two vertices to ask for: a lane a vertex), and a thread a tile row makes the next frontier of it and tells it (`settle`).
// Tiles are looked up once: those of a block's tile rows are listed, their columns numbered by a table in shared memory, the
//   header of the tile across from each, in the column's row, is kept: mostly as far from that row's end as the tile is from its
//   own's beginning, else found by bisection.
// Frontiers of four levels are in memory. A block that tells a fifth must know that all are through with the first: every
//   block adds to a count of its level when it is, and looks at those of earlier ones. A level that found nothing ends the search, and so does the
//   last vertex. A block without unvisited vertices tells empty words for ever, adds to the counts of levels as they come, and waits.
// Races: a word is read and written as 64 bits, relaxed, and nothing else is read by what it says. Its place is written anew when all
//   blocks have been counted through with what was there, each after a barrier of its own behind its last look.
// Determinism: levels, and the size of every frontier.
// Memory: dynamic shared memory, 16 bytes a tile and a tile row and 8 a column; tile rows whose tiles have no room there (a hub's) are looked
//   up on every level (`look_beyond`). In memory four words of 8 bytes a tile row.
// Cost, in a level: a word of 8 bytes for each column of tiles in a block (laplace3d:100: 1,040 in each of 132 blocks, of 4,400 tiles), and
//   words of the tiles that the frontier meets. Before: headers of all tiles twice, 4.5 us for 63,000 tiles, 16 to 23 for 585,000 (by
//   clocks in earlier forms).
// Distance to the limit: bound by latency: 2.1 us a level on fe_body (x) 6x6, 3.1 on laplace3d:100, setup included (H200; a barrier of
//   the grid alone 1.2). Clocks in earlier forms, cycles a level: laplace3d:25 3,300 to 3,500: until the last word was there 1,400 to 1,600,
//   two trips of 700, one of which may be too early; tiles 1,100 and their slowest warp 250 to 500, settling 450. laplace3d:100 7,000: words
//   2,800 and the slowest warp 1,000, tiles 1,700 and their slowest warp 900, settling 520.
// Without gain: a barrier of the grid each level in place of words with numbers (laplace3d:100 8.4 us a level for 4.3); a word for each tile in
//   place of each column (0.44 ms for 0.35); tiles with many vertices dealt out to warps after another barrier of the block (0.42 for
//   0.35: every level of a block with such a tile is a trip longer); five columns a thread at once; three warps that write levels in place
//   of fifteen (0.34 for 0.30); four and eight lanes a column however few there are; 16 and 32 tile rows together (fe_body (x) 6x6 0.175, 0.183
//   for 0.157); counts on lines of their own; the held levels and all others in one kernel (spills).
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/traverse/common_tile_held.cuh"
#include "kernels/cuda/traverse/common_tile_list.cuh"

#include <algorithm>

namespace nz::kernels::cuda::tiled {
namespace held {
namespace {

/// Columns of a thread whose words of the frontier are under way at once.
constexpr int at_once = 3;
/// Levels whose frontiers are in memory at once: a block may be so many less one ahead of another.
constexpr unsigned turns = 4;
/// Levels that are counted at once; a half is cleared while the other is in use.
constexpr unsigned counts = 64;  // plan::device_tile_workspace
static_assert(counts >= 8 * turns && counts * sizeof(unsigned long long) == 512);
static_assert(turns * sizeof(unsigned long long) == 2 * sizeof(queued_row));  // the words' place
constexpr unsigned long long arrived = 1ull << arrived_bit;
constexpr unsigned for_ever = ~0u;
/// Warps of a block that go through its tiles; of the others the last keeps count, the rest write levels.
constexpr unsigned workers = 16, writers = block_warps - workers - 1;

class held_block : block_tiles {
public:
    __device__ held_block(const held_arguments& a, held_shared& shared, unsigned char* memory)
        : block_tiles(a, shared, memory) {}

    __device__ void run() {
        if (threadIdx.x == 0) {
            m_.columns_met[0] = m_.columns_met[1] = m_.found[0] = m_.found[1] = 0;
            m_.tiles = m_.stop = m_.beyond = 0;
        }
        __syncthreads();
        open_ = __syncthreads_or(begin());
        hold_tiles();
        cooperative_groups::this_grid().sync();
        levels();
        finish();
    }

private:
    /// The thread that keeps count.
    __device__ static bool counts_here() { return threadIdx.x == (block_warps - 1) * 32; }
    /// The words of a frontier, by turns; the upper half of one is its level's number and 1.
    __device__ unsigned long long* words_of(unsigned depth) const {
        return a_.words + static_cast<std::size_t>(depth % turns) * s_.words;
    }
    /// Vertices found in a level, and from arrived_bit on the blocks that are through with it.
    __device__ unsigned long long* count_of(unsigned level) const { return a_.count + level % counts; }
    __device__ static unsigned found_in(unsigned long long count) { return static_cast<unsigned>(count); }
    __device__ static bool complete(unsigned long long count) { return count >> arrived_bit == gridDim.x; }

    __device__ void tell(std::uint32_t w, unsigned depth, word frontier, unsigned number) const {
        asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(words_of(depth) + w),
                     "l"(static_cast<unsigned long long>(number) << 32 | frontier)
                     : "memory");
    }
    __device__ static unsigned long long told(const unsigned long long* at) {
        unsigned long long x;
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(at) : "memory");
        return x;
    }

    /// Level 0; of no frontier any word is there yet. Returns whether the thread's tile rows have unvisited vertices.
    __device__ bool begin() {
        bool open = false;
        const std::uint32_t home = s_.source / 32;
        for (unsigned k = threadIdx.x; k < h_.rows; k += block_threads) {
            const std::uint32_t w = row_at(k);
            held_row own{~word{0}, 0, 0, 0};
            if (w < s_.words) {
                own.frontier = w == home ? word{1} << s_.source % 32 : 0;
                own.visited = own.frontier | ~s_.valid(w);
                if (w == home) s_.levels[s_.source] = 0;
                for (unsigned turn = 0; turn < turns; ++turn) tell(w, turn, 0, 0);
            }
            h_.row()[k] = own;
            open = open || ~own.visited;
        }
        if (blockIdx.x != 0) return open;
        if (threadIdx.x < counts) a_.count[threadIdx.x] = 0;
        if (threadIdx.x == 0) {
            s_.report->edges = 0;
            record(s_, 0, plan::tile_phase::held, {1, 1});
        }
        return open;
    }

    /// By one thread: a level that all blocks are through with, and what they found.
    __device__ void has_passed(unsigned level, unsigned found) {
        reached_ += found;
        const bool all = found && reached_ == s_.vertices;  // and so the next level finds nothing
        through_ = all ? min(level + 2, s_.max_depth) : level + 1;
        if (all || !found) m_.stop = 1;
        if (blockIdx.x == 0 && found && level + 1 < traverse_report::capacity)
            s_.report->records[level + 1].frontier = found;
    }
    /// By the same: the block is through with a level. Block 0 first clears half of the counts now and then: before it arrives at a level
    /// nobody has arrived at more than the six after it (two that were gone through, and a block's last four), and nobody looks at any
    /// but the twenty before it.
    __device__ void arrive(unsigned level, unsigned found) const {
        if (blockIdx.x == 0 && level != 0 && level % (counts / 2) == 0) {
            for (unsigned k = turns * 2; k < turns * 2 + counts / 2; ++k) *count_of(level + k) = 0;
            __threadfence();
        }
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(count_of(level)), "l"(arrived | found)
                     : "memory");
    }

    /// Until the search is through or all vertices of the block are visited; then the block lets others know.
    __device__ void levels() {
        for (unsigned k = threadIdx.x; k < h_.rows; k += block_threads)
            if (row_at(k) < s_.words) tell(row_at(k), 0, h_.row()[k].frontier, 1);
        unsigned level = 0;
        for (; open_ && level < s_.max_depth; ++level) {
            if (warp() < workers)
                look(level);
            else if (counts_here())
                look_back(level);
            else if (warp() < workers + writers)
                write(level, warp() - workers, writers);
            __syncthreads();
            find(m_.columns_met[level % 2]);
            __syncthreads();
            if (m_.stop) return;
            open_ = settle(level);
            if (counts_here()) has_settled(level);
        }
        write(level, warp(), block_warps);
        follow(level);
    }
    /// By one thread: what the other blocks have found lately.
    __device__ void look_back(unsigned level) {
        m_.columns_met[(level + 1) % 2] = m_.found[(level + 1) % 2] = 0;
        // The next frontier takes the place of one that everybody must be through with.
        for (bool must = true; must && passed_ < level && !m_.stop; must = passed_ + turns <= level + 1)
            if (const unsigned long long count = told(count_of(passed_)); complete(count))
                has_passed(passed_++, found_in(count));
    }
    /// By the same: the block is through with a level.
    __device__ void has_settled(unsigned level) const {
        arrive(level, m_.found[level % 2]);
        if (blockIdx.x == 0 && level + 1 < traverse_report::capacity)
            record(s_, level + 1, plan::tile_phase::held, {0, 0});
    }
    /// All vertices of the block are visited, after `level` levels: it finds nothing more, and tells others so.
    __device__ void follow(unsigned level) {
        const unsigned most = s_.max_depth;
        if (counts_here())
            for (unsigned ahead = level; ahead < level + turns && ahead < most; ++ahead) arrive(ahead, 0);
        // The words of frontiers up to number `level` have been told; the next takes the place of one that everybody must be through with.
        for (unsigned next = level + 1;; ++next) {
            if (next >= turns) {
                const unsigned last = next - turns;
                if (last >= most) return;
                if (counts_here() && last == passed_) {
                    unsigned long long count;
                    do count = told(count_of(last));
                    while (!complete(count));
                    has_passed(passed_++, found_in(count));
                    if (blockIdx.x == 0 && last + 1 > level && last + 1 < traverse_report::capacity) {
                        const unsigned frontier = s_.report->records[last + 1].frontier;
                        record(s_, last + 1, plan::tile_phase::held, {0, frontier});
                    }
                    if (last >= level && next < most) arrive(next, 0);
                }
                const volatile unsigned& stop = m_.stop;  // read by the thread that writes it alone
                if (__syncthreads_or(counts_here() && stop)) return;
            }
            if (next > level + turns) continue;
            for (unsigned k = threadIdx.x; k < h_.rows; k += block_threads)
                if (row_at(k) < s_.words) tell(row_at(k), next, 0, for_ever);
        }
    }

    /// In which columns the frontier has vertices.
    __device__ void look(unsigned depth) {
        constexpr unsigned step = workers * 32;
        const unsigned long long* const words = words_of(depth);
        for (unsigned base = threadIdx.x; base < columns_; base += step * at_once) {
            held_column column[at_once];
            unsigned waits = 0;
#pragma unroll
            for (int j = 0; j < at_once; ++j)
                if (const unsigned k = base + static_cast<unsigned>(j) * step; k < columns_)
                    column[j] = h_.column()[k], waits |= 1u << j;
            while (waits) {
                unsigned long long x[at_once];
#pragma unroll
                for (int j = 0; j < at_once; ++j)
                    if (waits >> j & 1) x[j] = told(words + column[j].column);
#pragma unroll
                for (int j = 0; j < at_once; ++j) {
                    if (!(waits >> j & 1) || static_cast<unsigned>(x[j] >> 32) <= depth) continue;
                    waits ^= 1u << j;
                    if (const auto vertices = static_cast<word>(x[j]))
                        m_.met[atomicAdd(&m_.columns_met[depth % 2], 1u)] = {column[j].tiles, vertices};
                }
            }
        }
        if (m_.beyond)
            for (unsigned k = warp(); k < h_.rows; k += workers)
                if (h_.row()[k].beyond) look_beyond(k, words, depth);
    }

    /// What it finds by the tiles there, by all warps; as many lanes a column as there are.
    __device__ void find(unsigned all) const {
        const unsigned lanes = all <= block_warps ? 32 : all <= 2 * block_warps ? 16 : 8, groups = 32 / lanes;
        for (unsigned first = warp(); first < all; first += block_warps * groups) {
            const unsigned k = first + lane() / lanes * block_warps;
            const met_column mine = k < all ? m_.met[k] : met_column{0, 0};
            const held_column of{0, mine.tiles};
            const unsigned end = of.first() + of.count();
            for (unsigned at = of.first() + lane() % lanes; __any_sync(full_warp, at < end); at += lanes)
                find_in(at < end ? mine.vertices : word{0}, at);
        }
    }
    /// A lane a tile.
    __device__ void find_in(word vertices, unsigned at) const {
        held_tile tile{};
        word open = 0;
        if (vertices) {
            tile = h_.tile()[at];
            open = ~h_.row()[tile.row].visited;
        }
        word asked = tile.reach & open ? vertices & tile.occupied : word{0}, found = 0, one = 0, other = 0;
        const header h{0, tile.start, tile.occupied, tile.reach};
        if (asked == tile.occupied) found = tile.reach, asked = 0;
        const bool many = bits_in(asked) > few_vertices;
        if (asked && !many) {
            one = row_word(s_.out, h, lowest(asked));
            if (const word rest = asked & (asked - 1)) other = row_word(s_.out, h, lowest(rest));
        }
        if (__any_sync(full_warp, many)) found |= words_across(s_.out, h, many ? asked : word{0});
        found |= one | other;
        if (found) set_bits(&h_.row()[tile.row].found, found);
    }

    /// The same for a tile row whose tiles have no room, by a warp.
    __device__ void look_beyond(unsigned k, const unsigned long long* words, unsigned depth) const {
        const word open = ~h_.row()[k].visited;
        if (!open) return;
        const auto [begin, end] = s_.in.range(row_at(k));
        for (std::uint32_t at = begin + lane(); at < end; at += 32) {
            const std::uint32_t column = s_.in.headers[at].column;
            unsigned long long x;
            do x = told(words + column);
            while (static_cast<unsigned>(x >> 32) <= depth);
            if (static_cast<word>(x) == 0) continue;
            const header h = across(row_at(k), column);
            if (const word found = tiled::words_of(s_.out, h, static_cast<word>(x) & h.occupied) & open)
                set_bits(&h_.row()[k].found, found);
        }
    }

    /// The next frontier of the block's tile rows. Returns whether there are unvisited vertices left; all threads of the block wait.
    __device__ bool settle(unsigned depth) {
        bool open = false;
        for (unsigned base = warp() * 32; base < h_.rows; base += block_threads) {
            const unsigned k = base + lane();
            word frontier = 0;
            if (k < h_.rows) {
                held_row own = h_.row()[k];
                frontier = own.found & ~own.visited;
                const std::uint32_t w = row_at(k);
                if (w < s_.words) tell(w, depth + 1, frontier, depth + 2);
                own.visited |= frontier;
                h_.row()[k] = {own.visited, 0, frontier, own.beyond};
                open = open || ~own.visited;
            }
            const unsigned vertices = __reduce_add_sync(full_warp, static_cast<unsigned>(bits_in(frontier)));
            if (lane() == 0 && vertices) atomicAdd(&m_.found[depth % 2], vertices);
        }
        return __syncthreads_or(open);
    }
    /// The levels of a frontier's vertices, a warp a tile row.
    __device__ void write(unsigned depth, unsigned first, unsigned step) const {
#pragma unroll 4
        for (unsigned k = first; k < h_.rows; k += step)
            if (h_.row()[k].frontier >> lane() & 1)
                s_.levels[row_at(k) * 32 + lane()] = static_cast<std::int32_t>(depth);
    }

    __device__ void finish() {
        __syncthreads();
        if (m_.stop)  // who still waits for words needs to know that there are none
            for (unsigned turn = 0; turn < turns; ++turn)
                for (unsigned k = threadIdx.x; k < h_.rows; k += block_threads)
                    if (row_at(k) < s_.words) tell(row_at(k), turn, 0, for_ever);
        unsigned long long edges = 0;
        for (unsigned k = threadIdx.x; k < h_.rows; k += block_threads)
            if (const std::uint32_t v = row_at(k) * 32; v < s_.vertices && !~h_.row()[k].visited)
                edges += static_cast<unsigned long long>(a_.out[min(v + 32, s_.vertices)] - a_.out[v]);
        for (unsigned k = warp(); k < h_.rows; k += block_warps) {
            const std::uint32_t v = row_at(k) * 32 + lane();
            if (v >= s_.vertices || !~h_.row()[k].visited) continue;
            if (h_.row()[k].visited >> lane() & 1)
                edges += static_cast<unsigned long long>(a_.out[v + offset_t{1}] - a_.out[v]);
            else
                s_.levels[v] = -1;
        }
        add_edges(edges, reinterpret_cast<unsigned long long*>(&s_.report->edges));
        if (blockIdx.x != 0 || !counts_here()) return;
        s_.report->levels = through_;
        s_.report->reached = reached_;
        s_.report->end_ticks = static_cast<std::uint64_t>(clock64());
    }

    bool open_ = true;  ///< there are unvisited vertices
    // By the thread that keeps count: levels that all blocks are through with, vertices and levels so far.
    unsigned passed_ = 0, reached_ = 1, through_ = 0;
};

__global__ void __launch_bounds__(block_threads, 1)
    tile_held_kernel(const __grid_constant__ held_arguments a) {
    __shared__ held_shared shared;
    extern __shared__ __align__(16) unsigned char memory[];
    held_block(a, shared, memory).run();
}

/// Dynamic shared memory that a block has beside its own.
constexpr unsigned most_bytes = 193 << 10;
/// What a block may have of it on average: how many a block has is not known before.
constexpr double fill = 0.75;

}  // namespace
}  // namespace held

bool holds(const search<std::uint32_t>& s, int multiprocessors) {
    using namespace held;
    if (most_shared_memory_here() < static_cast<int>(most_bytes + sizeof(held_shared))) return false;
    const auto blocks = static_cast<unsigned>(multiprocessors);
    const unsigned room = held_memory::room(most_bytes, rows_each(s.words, blocks));
    return static_cast<double>(s.in.tiles) / blocks < fill * room;
}

void held_search(const search<std::uint32_t>& s, device_offsets out, int multiprocessors,
                 cudaStream_t stream) {
    using namespace held;
    const unsigned chunks = (s.words + together - 1) / together;
    const unsigned blocks = std::min(chunks, static_cast<unsigned>(multiprocessors));
    const held_arguments a{s, out, held_memory::room(most_bytes, rows_each(s.words, blocks)),
                           reinterpret_cast<unsigned long long*>(s.queue[1]),
                           reinterpret_cast<unsigned long long*>(s.shared)};
    launch_resident<tile_held_kernel>(a,
                                      {static_cast<int>(block_threads), 1, 1, static_cast<int>(most_bytes),
                                       static_cast<int>(most_bytes), 0, static_cast<int>(blocks)},
                                      multiprocessors, stream);
}

}  // namespace nz::kernels::cuda::tiled
