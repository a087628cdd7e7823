// Levels of a handful of tile rows in a search over bit tiles, by a few warps of one block, while others of its warps look ahead.
//
// A level is bound by what a warp issues one after another and by trips (measured alone on an H100: 39 cycles to the first-level cache, 265
// to L2, 480 for the answer to a claim there). So a level waits for nothing that leaves the multiprocessor:
// - The front is a table in shared memory, hashed by tile row, two sides in turns. Who is first to find a tile row takes a slot (compare
//   and swap) and a place in the side's list; all add their vertices by an OR, whose answers count each once. A tile row is one entry.
// - The visited set is read and written through the first-level cache: no other block runs. A front becomes visited when its level
//   begins, by the warp that has the entry, before anybody asks: the first of the level's two barriers, of these warps alone (15
//   cycles for the slowest); the second is at its end.
// - A word of a tile is read once in a search: no cache has it by itself. A tile row that the front comes to is told to the warps beside,
//   who read headers, words and the sector of the visited set of its tiles' columns' tiles: two steps ahead.
// An entry has a warp: four tiles at a time, eight lanes a tile, four of its rows (eight of 64) a lane. Entries outside tiles: the block's way.
// Races: lanes beside read of a state `frontier` alone, which nobody writes here, and only for the cache. A message is one word, number and
// tile row, written and read by atomics: who is late finds a newer number and goes on from there.
// Determinism: as the whole search's; the order of entries is not, and nothing depends on it.
// Measured (H100, banded:1000000,21: 2.6 tile rows of 3 tiles a level), us a level: the block's way 1.35 (1.60 where other work has swept
// L2 since the last search); one warp with shuffles, votes and matches, nobody looking ahead 1.46 (1.71); one warp with this table and
// warps that look ahead 1.01, four 0.81 (0.81), eight 0.82; eight, with the list's beginning read at once, records written by the warp
// with the least to do and fewer branches where a level decides whether to go on 0.77 (0.76). Of a level by four, with clocks read between: entry
// and headers 24%, whether to go on 12, asking for words 8, words, states, claims and levels 54, barriers 2.
// Limit: with eight tile rows or fewer a warp has one entry; its instructions, not trips, are what is left.
// Without gain: prefetch.global.L1 in place of reading (a line asked for so took as long as one in L2, measured alone); eight warps that look
// ahead in place of four (0.83 for 0.81).
#pragma once

#include "kernels/cuda/traverse/common_tiles.cuh"

namespace nz::kernels::cuda::tiled {

/// Warps that share the entries, and warps that look ahead: a power of two.
inline constexpr unsigned front_warps = 8, ahead_warps = 4;
/// Levels before which meshes, whose fronts are thin at the beginning alone, would pay for both ways.
inline constexpr unsigned front_from = 8;
/// Levels that pay for the change: where it was fewer, the next time is from half as many entries.
inline constexpr unsigned front_pays = 4;
/// Entries up to which a level is taken on and up to which levels go on, and tiles of their tile rows: a warp's second entry takes as
/// long as the first. (Bands side by side, n tile rows a level and each fourth level 2 n, with higher bounds than these: 0.82 us a
/// level for 1.39 by the whole block with n = 4, 1.03 for 1.44 with 5, 1.26 for 1.47 with 8, 1.70 for 1.56 with 10.)
inline constexpr unsigned front_enter = 8, front_leave = 16, front_tiles = 64;

template <class Word>
struct alignas(sizeof(Word) == 4 ? 16 : 8) thin_entry {
    Word vertices;
    std::uint32_t row, begin, end;  ///< its tiles
};

template <class Word>
struct front_shared {
    /// Of a side: how many entries, their vertices and (above 16 bits) tiles, and their slots.
    struct alignas(16) list {
        unsigned entries, found;
        std::uint8_t slots[front_tiles + front_warps];
    };
    struct left {
        finds found;  ///< entries in place of tile rows
        unsigned depth, reached;
    };
    static constexpr unsigned slots = 256, messages = 64;
    static_assert(front_tiles <= slots / 2);
    static constexpr std::uint32_t empty = ~0u;

    thin_entry<Word> table[2][slots];
    list lists[2];
    left end;  ///< where the search goes on
    unsigned told;
    unsigned over;                      ///< not 0: nobody needs to look ahead any more
    unsigned long long news[messages];  ///< number of the message, and in the lower half a tile row
    unsigned read[ahead_warps * 32];    ///< written so that what is read ahead has a use

    /// All threads of a block, before a barrier.
    __device__ void clear() {
        static_assert(block_threads >= 2 * slots);
        if (threadIdx.x < 2 * slots) table[threadIdx.x / slots][threadIdx.x % slots] = {0, empty, 0, 0};
        if (threadIdx.x < messages) news[threadIdx.x] = 0;
        if (threadIdx.x < 2) lists[threadIdx.x].entries = lists[threadIdx.x].found = 0;
        if (threadIdx.x == 0) told = over = 0;
    }
};

/// Brings to the first-level cache what the tiles of the columns of a tile row's tiles are. By one warp, four lanes a tile.
template <class Word>
__device__ unsigned look_ahead(const search<Word>& s, std::uint32_t row) {
    constexpr unsigned a_sector = 32 / sizeof(Word), most_words = 16 * a_sector, most_tiles = 8, lanes = 4;
    const tile_range own = s.out.range(row);
    const std::uint32_t at = own.begin + threadIdx.x % 32 / lanes;
    if (at >= own.end) return 0;
    const auto [begin, end] = s.out.range(s.out.headers[at].column);
    unsigned sum = 0;
    for (std::uint32_t k = begin + threadIdx.x % lanes; k < min(end, begin + most_tiles); k += lanes) {
        const std::uint32_t to = s.out.headers[k].column;
        sum += static_cast<unsigned>(s.state[to].frontier[0]);
        const auto [first, last] = s.out.range(to);
        if (first == last) continue;
        for (std::uint32_t t = first; t < min(last, first + most_tiles); ++t) sum += s.out.headers[t].column;
        // Words of a row of tiles mostly stand together; where they do not, those of its first tile.
        const storage::tile_header<Word> foremost = s.out.headers[first], hindmost = s.out.headers[last - 1];
        const std::uint32_t from = foremost.start, all = hindmost.start + bits_in(hindmost.occupied) - from,
                            words = all <= most_words ? all : bits_in(foremost.occupied);
#pragma unroll 4
        for (std::uint32_t w = 0; w < words; w += a_sector)
            sum += static_cast<unsigned>(s.out.words[from + w]);
        if (words) sum += static_cast<unsigned>(s.out.words[from + words - 1]);
    }
    return sum;
}

/// In a message as it is read: the front goes on. Tile rows have fewer bits.
inline constexpr unsigned long long still_on = 1ull << 31;

/// By the warps after those of the front, until that has ended.
template <class Word>
__device__ void look_ahead(const search<Word>& s, front_shared<Word>& memory) {
    constexpr unsigned pause_ns = 40;
    const unsigned thread = threadIdx.x - front_warps * 32;
    unsigned sum = 0;
    for (unsigned next = thread / 32 + 1;;) {  // messages are numbered from 1
        unsigned long long told = 0;
        if (thread % 32 == 0 && atomicOr(&memory.over, 0u) == 0)
            told = atomicCAS(&memory.news[next % memory.messages], 0ull, 0ull) | still_on;
        told = __shfl_sync(full_warp, told, 0);
        if (!(told & still_on)) break;
        const auto number = static_cast<unsigned>(told >> 32);
        if (number >= next) {
            sum += look_ahead(s, static_cast<std::uint32_t>(told & ~still_on));
            next = number + ahead_warps;
        } else {
            __nanosleep(pause_ns);
        }
    }
    memory.read[thread] = sum;
}

template <class Word>
class front_search {
    using entry = thin_entry<Word>;
    using shared = front_shared<Word>;
    using list = typename shared::list;
    static constexpr unsigned size = search<Word>::size, tiles = 4, parts = 32 / tiles, share = size / parts;

public:
    __device__ front_search(const search<Word>& s, shared& memory) : s_(s), m_(memory) {}

    /// From the entries of `queue`, and to it.
    __device__ void run(unsigned depth, unsigned reached, unsigned held, entry* queue) {
        __threadfence();  // the first-level cache forgets what other blocks may have written since
        for (unsigned k = threadIdx.x; k < held; k += front_warps * 32) {
            const entry e = queue[k];
            take(0, e.row, e.vertices, e.begin, e.end, true);
        }
        wait();
        reached -= m_.lists[0].found & 0xffff;  // counted again below
        unsigned side = 0, entries, found;
        while (true) {
            const uint4 head = *reinterpret_cast<const uint4*>(&m_.lists[side]);
            entries = head.x, found = head.y;
            look first = look_up(side, slot_of(head), warp() < entries);
            visit(side, first, entries);
            reached += found & 0xffff;
            if (!goes_on(entries, found, depth, reached)) break;
            words(first);
            wait();
            if (threadIdx.x == front_warps * 32 - 1) {  // who has the least to do
                record(s_, depth, plan::tile_phase::push_csc, {entries, found & 0xffff});
                m_.lists[side].entries = m_.lists[side].found = 0;
            }
            push(side, first, entries, depth);
            wait();
            side ^= 1;
            ++depth;
        }
        leave(side, {entries, found & 0xffff}, depth, reached, queue);
    }

private:
    /// A lane's share of a tile, and what its vertices find.
    struct look {
        entry of;
        unsigned slot;
        storage::tile_header<Word> h;
        Word found;
        std::uint32_t begin, end;  ///< tiles of the tile row found
    };

    __device__ static unsigned lane() { return threadIdx.x % 32; }
    __device__ static unsigned warp() { return threadIdx.x / 32; }
    /// For the warps of the front alone.
    __device__ static void wait() { asm volatile("bar.sync 1, %0;" ::"n"(front_warps * 32) : "memory"); }

    /// Of the warp's first entry: what the list begins with is read at once.
    __device__ static unsigned slot_of(const uint4& head) {
        static_assert(front_warps <= 8);
        return (warp() < 4 ? head.z : head.w) >> warp() % 4 * 8 & 255;
    }

    __device__ bool goes_on(unsigned entries, unsigned found, unsigned depth, unsigned reached) const {
        const unsigned vertices = found & 0xffff;
        const bool on = (vertices != 0) & (vertices < s_.dense) & (entries <= front_leave) &
                        (found < (front_tiles + 1) << 16) & (depth < s_.max_depth);
        if (s_.vertices - reached > s_.few) return on;
        progress p;
        p.reached = reached;
        return on && choose(s_, p, {entries, vertices}) == plan::tile_phase::push_csc;
    }

    __device__ look look_up(unsigned side, unsigned slot, bool any) const {
        look l{};
        l.slot = slot;
        if (any) l.of = m_.table[side][slot];
        header(l, l.of.begin + lane() / parts);
        return l;
    }
    __device__ void header(look& l, std::uint32_t at) const {
        l.h = {};
        if (at < l.of.end) l.h = s_.out.headers[at];
    }
    /// The front has been visited before anybody asks what has.
    __device__ void visit(unsigned side, const look& first, unsigned entries) const {
        if (lane() == 0 && first.of.vertices) s_.state[first.of.row].visited |= first.of.vertices;
        for (unsigned k = warp() + front_warps * (1 + lane()); k < entries; k += front_warps * 32) {
            const entry e = m_.table[side][m_.lists[side].slots[k]];
            s_.state[e.row].visited |= e.vertices;
        }
    }

    /// What the rows of the lane's share find.
    __device__ void words(look& l) const {
        const unsigned shift = lane() % parts * share;
        const Word met = l.h.occupied & l.of.vertices;
        if (met) {
            const auto [begin, end] = s_.out.range(l.h.column);
            l.begin = begin;
            l.end = end;
        }
        const auto asked = static_cast<unsigned>(met >> shift),
                   there = static_cast<unsigned>(l.h.occupied >> shift);
        const Word* at =
            s_.out.words + l.h.start + bits_in(static_cast<Word>(l.h.occupied & ((Word{1} << shift) - 1)));
        Word word[share];
#pragma unroll
        for (unsigned i = 0; i < share; ++i) {
            word[i] = 0;
            if (asked >> i & 1) word[i] = *at;
            at += there >> i & 1;
        }
        l.found = 0;
#pragma unroll
        for (const Word w : word) l.found |= w;
    }

    /// The warp's entries; the words of the first have been asked for.
    __device__ void push(unsigned side, look l, unsigned entries, unsigned depth) {
        for (unsigned k = warp(); k < entries;) {
            claim(l, side ^ 1);
            for (std::uint32_t at = l.of.begin + tiles; at < l.of.end; at += tiles) {
                header(l, at + lane() / parts);
                words(l);
                claim(l, side ^ 1);
            }
            write_levels(s_, l.of.row, l.of.vertices, depth);
            __syncwarp();  // all lanes have read the entry
            if (lane() == 0) m_.table[side][l.slot] = {0, shared::empty, 0, 0};
            k += front_warps;
            if (k < entries) {
                l = look_up(side, m_.lists[side].slots[k], true);
                words(l);
            }
        }
    }
    __device__ void claim(const look& l, unsigned to) {
        if (!l.found) return;
        const Word seen = s_.state[l.h.column].visited, open = l.found & ~seen;
        if (open) take(to, l.h.column, open, l.begin, l.end, seen == 0);
    }

    /// Adds vertices of a tile row to a side. `news`: the front may not have come to it before.
    __device__ void take(unsigned to, std::uint32_t row, Word vertices, std::uint32_t begin,
                         std::uint32_t end, bool news) {
        unsigned at = row % shared::slots;
        std::uint32_t old;
        while ((old = atomicCAS(&m_.table[to][at].row, shared::empty, row)) != shared::empty && old != row)
            at = (at + 1) % shared::slots;
        entry& e = m_.table[to][at];
        unsigned found = bits_in(static_cast<Word>(vertices & ~set_bits(&e.vertices, vertices)));
        if (old == shared::empty) {
            m_.lists[to].slots[atomicAdd(&m_.lists[to].entries, 1u)] = static_cast<std::uint8_t>(at);
            e.begin = begin;
            e.end = end;
            found += min(end - begin, 255u) << 16;
            if (news) tell(row);
        }
        atomicAdd(&m_.lists[to].found, found);
    }
    __device__ void tell(std::uint32_t row) {
        const unsigned number = atomicAdd(&m_.told, 1u) + 1;
        atomicExch(&m_.news[number % shared::messages], static_cast<unsigned long long>(number) << 32 | row);
    }

    __device__ void leave(unsigned side, finds now, unsigned depth, unsigned reached, entry* queue) {
        wait();
        for (unsigned k = threadIdx.x; k < now.rows; k += front_warps * 32)
            queue[k] = m_.table[side][m_.lists[side].slots[k]];
        if (threadIdx.x != 0) return;
        m_.end = {now, depth, reached};
        atomicExch(&m_.over, 1u);
    }

    const search<Word>& s_;
    shared& m_;
};

}  // namespace nz::kernels::cuda::tiled
