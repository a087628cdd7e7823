// The state of a search over bit tiles on a GPU and its steps: what a frontier's word finds, a level by tile rows, a level
// by unvisited vertices.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_words.cuh"
#include "kernels/tile_arguments.hpp"
#include "storage/bit_tiles.hpp"

namespace nz::kernels::cuda::tiled {

inline constexpr unsigned block_threads = 1024, block_warps = block_threads / 32, cluster_blocks = 16;

__device__ inline std::uint32_t set_bits(std::uint32_t* at, std::uint32_t x) { return atomicOr(at, x); }
__device__ inline std::uint64_t set_bits(std::uint64_t* at, std::uint64_t x) {
    return atomicOr(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(x));
}

/// What a level finds; one addition of 64 bits counts both.
struct alignas(8) finds {
    unsigned rows, vertices;  ///< tile rows, and vertices in them
};

struct alignas(16) level_finds {
    finds found;
    unsigned long long arrived;
};

/// What thin levels leave.
struct alignas(16) thin_left {
    /// Tile rows up to which one block takes on levels, and in place of vertices those of a cluster.
    finds bounds;
    finds where;  ///< the depth in place of tile rows, and the vertices reached
    finds found;  ///< of that level
};

struct control {
    level_finds
        level[4];  ///< by depth modulo 4: of the level before, this one, the next, and one that is cleared
    thin_left left;
    unsigned arrived;
    unsigned
        kept;  ///< tile rows put into the queue in memory by thin levels, as they run over and at their end
};
static_assert(sizeof(control) <= 128);  // plan::device_tile_workspace

using storage::tile_range;

template <class Word>
struct tile_rows {
    const tile_range* ranges;
    const storage::tile_header<Word>* headers;
    const Word* words;
    const tile_range* outside_ranges;
    const std::uint8_t* outside_rows;
    const index_t* outside_columns;
    offset_t tiles, outside;

    /// Of tile row w.
    __device__ tile_range range(std::uint32_t w) const { return read(ranges + w); }
    __device__ tile_range outside_range(std::uint32_t w) const { return read(outside_ranges + w); }

private:
    static __device__ tile_range read(const tile_range* at) {
        const uint2 both = __ldg(reinterpret_cast<const uint2*>(at));
        return {both.x, both.y};
    }
};

/// The vertices of one tile row that have been reached: in levels before the present one, and of three levels in turns the one
/// before (which is cleared), this one, the next. Together, since who looks at one looks at two.
template <class Word>
struct alignas(4 * sizeof(Word)) row_state {
    Word visited, frontier[3];
};

/// A tile row of a frontier, and where its tiles are, so that who takes it need not look.
struct alignas(16) queued_row {
    std::uint32_t row, begin, end;

    __device__ static queued_row read(const queued_row* at) {
        const uint4 x = __ldcg(reinterpret_cast<const uint4*>(at));
        return {x.x, x.y, x.z};
    }
};

static_assert(sizeof(queued_row) == 16);  // plan::device_tile_workspace

template <class Word>
struct search {
    static constexpr int size = sizeof(Word) * 8;
    std::uint32_t vertices, words, source;  ///< words: tile rows
    unsigned max_depth;
    tile_rows<Word> out, in;
    unsigned dense, few;  ///< plan::tile_thresholds, in vertices
    float unvisited_a_frontier;
    std::int32_t* levels;
    row_state<Word>* state;
    queued_row* queue[3];  ///< the tile rows in which each level's frontier has vertices, in turns
    control* shared;
    traverse_report* report;

    /// What has been reached of tile row w up to the level whose frontier is number `turn`.
    __device__ Word reached(std::uint32_t w, unsigned turn) const {
        if constexpr (size == 32) {
            const uint4 x = __ldcg(reinterpret_cast<const uint4*>(state + w));
            return x.x | (turn == 0 ? x.y : turn == 1 ? x.z : x.w);
        } else {
            return __ldcg(&state[w].visited) | __ldcg(&state[w].frontier[turn]);
        }
    }
    /// The same and what has been found of the next level's, if it is seen already: a claim less.
    __device__ Word taken(std::uint32_t w, unsigned turn) const {
        if constexpr (size == 32) {
            const uint4 x = __ldcg(reinterpret_cast<const uint4*>(state + w));
            return x.x | (turn == 0 ? x.y | x.z : turn == 1 ? x.z | x.w : x.w | x.y);
        } else {
            return reached(w, turn) | __ldcg(&state[w].frontier[turn == 2 ? 0 : turn + 1]);
        }
    }
    /// Whether there are entries outside tiles.
    __device__ bool has_outside() const { return out.outside != 0; }
    /// The vertices that tile row w has.
    __device__ Word valid(std::uint32_t w) const {
        const std::uint32_t left = vertices - w * size;
        return left >= size ? ~Word{0} : (Word{1} << left) - 1;
    }
};

template <class Word>
__device__ Word row_word(const tile_rows<Word>& t, const storage::tile_header<Word>& h, int row) {
    return t.words[h.start + bits_in(static_cast<Word>(h.occupied & ((Word{1} << row) - 1)))];
}

/// Puts the tile rows of lanes that are `first` there with a frontier into a queue, and counts their warp's new vertices;
/// `reserve` adds a warp's sum and tells how many tile rows there were, `keep` takes a tile row at its place. All lanes call it.
template <class Word, class Reserve, class Keep>
__device__ void add_rows(bool first, Word vertices, std::uint32_t tile_row, Reserve&& reserve, Keep&& keep) {
    const unsigned who = __ballot_sync(full_warp, first);
    const unsigned count = __reduce_add_sync(full_warp, static_cast<unsigned>(bits_in(vertices)));
    if (!count) return;
    const unsigned lane = threadIdx.x % 32;
    unsigned at = 0;
    if (lane == 0) at = reserve(finds{static_cast<unsigned>(__popc(who)), count});
    at = __shfl_sync(full_warp, at, 0) + __popc(who & ((1u << lane) - 1));
    if (first) keep(at, tile_row);
}

struct progress {
    unsigned depth = 0, reached = 1;
    unsigned turn = 0;         // depth modulo 3
    unsigned rows_before = 0;  // tile rows of the level before, whose frontier is to be cleared

    __device__ unsigned next() const { return turn == 2 ? 0 : turn + 1; }
    __device__ unsigned before() const { return turn == 0 ? 2 : turn - 1; }
    __device__ void advance(unsigned rows) {
        rows_before = rows;
        ++depth;
        turn = next();
    }
};

template <class Word>
__device__ plan::tile_phase choose(const search<Word>& s, const progress& p, finds now) {
    const unsigned unvisited = s.vertices - p.reached;
    if (unvisited <= s.few &&
        static_cast<float>(unvisited) <= s.unvisited_a_frontier * static_cast<float>(now.vertices))
        return plan::tile_phase::pull_csc;
    return now.vertices >= s.dense ? plan::tile_phase::push_csr : plan::tile_phase::push_csc;
}

template <class Word>
__device__ void record(const search<Word>& s, unsigned depth, plan::tile_phase phase, finds now) {
    if (depth >= traverse_report::capacity) return;
    s.report->records[depth] = {now.vertices, static_cast<std::uint32_t>(phase), 0,
                                static_cast<std::uint64_t>(clock64())};
}

/// Levels of some vertices of one tile row, side by side.
template <class Word>
__device__ void write_levels(const search<Word>& s, std::uint32_t tile_row, Word vertices, unsigned depth) {
    for (int r = static_cast<int>(threadIdx.x % 32); r < search<Word>::size; r += 32)
        if (vertices >> r & 1) s.levels[tile_row * search<Word>::size + r] = static_cast<std::int32_t>(depth);
}

/// Adds what lanes have found of tile row `to` each (none: 0) to the next frontier, and tells `add` whether it is the first
/// there and which vertices are new. Visited are those of the levels before and of this one.
template <class Word, class Add>
__device__ void claim(const search<Word>& s, Word found, Word seen, std::uint32_t to, unsigned next,
                      Add&& add) {
    found &= ~seen;
    Word old = ~Word{0};
    if (found) old = set_bits(&s.state[to].frontier[next], found);
    add(found && !old, static_cast<Word>(found & ~old), to);
}

/// What the vertices `met` of a tile find in it. A lane a tile, two words in flight.
template <class Word>
__device__ Word words_of(const tile_rows<Word>& t, const storage::tile_header<Word>& h, Word met) {
    Word found = 0;
    while (met) {
        const int first = lowest(met);
        met &= met - 1;
        const Word other = met ? row_word(t, h, lowest(met)) : Word{0};
        met &= met - 1;
        found |= row_word(t, h, first) | other;
    }
    return found;
}

/// The same for the tiles of a warp's lanes, one after another: lanes take the vertices, so that a tile's words are read side
/// by side, those of several tiles at once.
template <class Word>
__device__ Word words_across(const tile_rows<Word>& tiles, const storage::tile_header<Word>& mine, Word met) {
    constexpr int few = 16 / sizeof(Word), many = 36 / sizeof(Word);
    const int lane = static_cast<int>(threadIdx.x % 32);
    Word found = 0;
    unsigned todo = __ballot_sync(full_warp, met != 0);
    // Without a branch between: what one tile waits for is on its way for all.
    const auto round = [&]<int Count>() {
        Word words[Count];
        unsigned left = todo;
#pragma unroll
        for (Word& word : words) {
            const int t = __ffs(static_cast<int>(left)) - 1;
            storage::tile_header<Word> h;
            h.start = __shfl_sync(full_warp, mine.start, t);
            h.occupied = __shfl_sync(full_warp, mine.occupied, t);
            const Word of_tile = __shfl_sync(full_warp, met, t), rows = left ? of_tile : Word{0};
            left &= left - 1;
            word = 0;
            if (rows >> lane & 1) word = row_word(tiles, h, lane);
            if constexpr (sizeof(Word) == 8)
                if (rows >> (lane + 32) & 1) word |= row_word(tiles, h, lane + 32);
        }
#pragma unroll
        for (const Word word : words) {
            const Word all = warp_or(word);
            if (todo && lane == __ffs(static_cast<int>(todo)) - 1) found = all;
            todo &= todo - 1;
        }
    };
    while (todo) {
        if (__popc(todo) > few)
            round.template operator()<many>();
        else
            round.template operator()<few>();
    }
    return found;
}

/// Vertices up to which a lane takes a tile: beyond, a warp, by words_across.
inline constexpr int few_vertices = 2;

/// A tile in which more vertices than that are asked for something.
template <class Word>
struct alignas(sizeof(Word) == 4 ? 16 : 8) asked_tile {
    Word met, occupied;
    std::uint32_t column, start;
};
/// Those that a block's warps have come across in a level, and that all of them share: a warp takes as long for one as for the rest of
/// a tile row, and has nine or none.
template <class Word>
struct asked_tiles {
    asked_tile<Word>* list;
    unsigned room, *count;

    /// All lanes call it. Returns whether there was no room for the lane's.
    __device__ bool keep(bool any, const asked_tile<Word>& tile) const {
        const unsigned who = __ballot_sync(full_warp, any), lane = threadIdx.x % 32;
        unsigned at = 0;
        if (lane == 0) at = atomicAdd(count, static_cast<unsigned>(__popc(who)));
        at = __shfl_sync(full_warp, at, 0) + __popc(who & ((1u << lane) - 1));
        const bool fits = at < room;
        if (any && fits) list[at] = tile;
        return any && !fits;
    }
};

/// Sum of the values of a warp's lanes up to the lane.
__device__ inline unsigned sum_up_to(unsigned mine) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const unsigned other = __shfl_up_sync(full_warp, mine, d);
        if (lane >= d) mine += other;
    }
    return mine;
}
/// Of parts that begin at `before`, one a lane, whose number k is in: the last that begins there or before.
__device__ inline int owner_of(unsigned before, unsigned k) {
    int owner = 0;
#pragma unroll
    for (int d = 16; d; d /= 2)
        if (__shfl_sync(full_warp, before, owner + d) <= k) owner += d;
    return owner;
}

/// Adds what the threads of a block have counted, which all of them call with.
__device__ inline void add_edges(unsigned long long mine, unsigned long long* edges) {
    for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_down_sync(full_warp, mine, distance);
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(edges, sum);
}

/// The tile rows of a warp's lanes, `rows` of them, with their vertices: what they find through their tiles, which are dealt out to the
/// lanes one after another whose rows they may be, and by the entries outside them, goes to the next frontier, but for tiles that are
/// kept for all warps. `meanwhile` is called once, when the first headers are under way and before anybody needs the vertices.
template <class Word, class Meanwhile, class Add>
__device__ void expand(const search<Word>& s, const queued_row& mine, Word vertices, int rows, unsigned turn,
                       bool outside, const asked_tiles<Word>& kept, Meanwhile&& meanwhile, Add&& add) {
    constexpr int size = search<Word>::size;
    const unsigned lane = threadIdx.x % 32, next = turn == 2 ? 0 : turn + 1, tiles = mine.end - mine.begin;
    unsigned before = 0, total;  // tiles of lanes before, of all
    if (rows == 1) {
        total = __shfl_sync(full_warp, tiles, 0);
    } else {
        const unsigned up_to = sum_up_to(tiles);
        before = up_to - tiles;
        total = __shfl_sync(full_warp, up_to, 31);
    }
    int owner = 0;  // whose the tile is: the last lane's whose tiles begin there or before
    const auto header_at = [&](unsigned k) {
        owner = rows > 1 ? owner_of(before, k) : 0;
        const std::uint32_t at = __shfl_sync(full_warp, mine.begin - before, owner) + k;
        storage::tile_header<Word> h{};
        if (k < total) h = s.out.headers[at];
        return h;
    };
    storage::tile_header<Word> ahead = header_at(lane);
    meanwhile();
    for (unsigned base = 0; base < total; base += 32) {
        const storage::tile_header<Word> h = ahead;
        const Word met = h.occupied & __shfl_sync(full_warp, vertices, owner);
        if (base + 32 < total) ahead = header_at(base + 32 + lane);
        Word seen = 0;
        if (met) seen = s.taken(h.column, turn);
        const bool whole = met == h.occupied, few = whole || bits_in(met) <= few_vertices;
        Word one = whole ? h.reach : Word{0}, other = 0;
        if (few && !whole && met) {
            one = row_word(s.out, h, lowest(met));
            if (const Word rest = met & (met - 1)) other = row_word(s.out, h, lowest(rest));
        }
        Word found = 0;
        if (__any_sync(full_warp, !few)) {
            const bool left = kept.keep(!few && (h.reach & ~seen), {met, h.occupied, h.column, h.start});
            if (left) found = words_of(s.out, h, met);
        }
        claim(s, static_cast<Word>(found | one | other), seen, h.column, next, add);
    }
    if (!outside) return;
    for (int t = 0; t < rows; ++t) {
        const tile_range entries = s.out.outside_range(__shfl_sync(full_warp, mine.row, t));
        const Word of_row = __shfl_sync(full_warp, vertices, t);
        for (std::uint32_t base = entries.begin; base < entries.end; base += 32) {
            const std::uint32_t k = base + lane;
            Word found = 0, seen = 0;
            std::uint32_t to = 0;
            if (k < entries.end && (of_row >> s.out.outside_rows[k] & 1)) {
                const auto v = static_cast<std::uint32_t>(s.out.outside_columns[k]);
                to = v / size;
                found = Word{1} << (v % size);
                seen = s.taken(to, turn);
            }
            claim(s, found, seen, to, next, add);
        }
    }
}

/// What a block has kept of a level's tiles, when all of its warps are through with the rest.
template <class Word, class Add>
__device__ void expand_kept(const search<Word>& s, const asked_tiles<Word>& kept, unsigned turn, Add&& add) {
    const unsigned all = min(*kept.count, kept.room);
    for (unsigned base = threadIdx.x / 32; base < all; base += block_threads) {
        const unsigned k = base + threadIdx.x % 32 * block_warps;
        asked_tile<Word> tile{};
        Word seen = 0;
        if (k < all) {
            tile = kept.list[k];
            seen = s.taken(tile.column, turn);
        }
        const Word found = words_across(s.out, {tile.column, tile.start, tile.occupied, Word{0}}, tile.met);
        claim(s, found, seen, tile.column, turn == 2 ? 0 : turn + 1, add);
    }
}

/// What a pull asks whether it is visited: the levels before and this one, whether or not the frontier has been added yet.
template <class Word>
struct reached_words {
    const search<Word>& s;
    unsigned turn;
    __device__ Word operator[](std::uint32_t w) const { return s.reached(w, turn); }
};

/// The unvisited vertices of tile row w, `open`, that have a visited in-neighbour: by tile, a lane a vertex.
template <class Word>
__device__ Word pull_by_tiles(const search<Word>& s, const reached_words<Word>& visited, std::uint32_t w,
                              Word open) {
    constexpr int size = search<Word>::size;
    const unsigned lane = threadIdx.x % 32;
    const auto [begin, end] = s.in.range(w);
    Word found = 0;
    for (std::uint32_t base = begin; base < end && found != open; base += 32) {
        storage::tile_header<Word> mine{};
        Word from = 0, at_once = 0;
        if (base + lane < end) {
            mine = s.in.headers[base + lane];
            if (const Word rows = mine.occupied & open) {
                from = visited[mine.column] & mine.reach;
                if (from == mine.reach) at_once = rows, from = 0;
            }
        }
        found |= warp_or(at_once);
        unsigned todo = __ballot_sync(full_warp, from != 0);
        while (todo && found != open) {
            const int t = __ffs(static_cast<int>(todo)) - 1;
            todo &= todo - 1;
            storage::tile_header<Word> h;
            h.start = __shfl_sync(full_warp, mine.start, t);
            h.occupied = __shfl_sync(full_warp, mine.occupied, t);
            const Word there = __shfl_sync(full_warp, from, t), rows = h.occupied & open & ~found;
            const bool low = (rows >> lane & 1) && (row_word(s.in, h, static_cast<int>(lane)) & there);
            found |= __ballot_sync(full_warp, low);
            if constexpr (size == 64) {
                const bool high =
                    (rows >> (lane + 32) & 1) && (row_word(s.in, h, static_cast<int>(lane) + 32) & there);
                found |= static_cast<Word>(__ballot_sync(full_warp, high)) << 32;
            }
        }
    }
    return found;
}

/// The same by vertex, a lane a tile, up to the first that meets.
template <class Word>
__device__ Word pull_by_vertices(const search<Word>& s, const reached_words<Word>& visited, std::uint32_t w,
                                 Word open) {
    const unsigned lane = threadIdx.x % 32;
    const auto [begin, end] = s.in.range(w);
    Word found = 0;
    for (Word left = open; left; left &= left - 1) {
        const int r = lowest(left);
        for (std::uint32_t base = begin; base < end; base += 32) {
            bool meets = false;
            if (base + lane < end) {
                const storage::tile_header<Word> h = s.in.headers[base + lane];
                meets = (h.occupied >> r & 1) && (row_word(s.in, h, r) & visited[h.column]);
            }
            if (__any_sync(full_warp, meets)) {
                found |= Word{1} << r;
                break;
            }
        }
    }
    return found;
}

/// Those of `open` that an entry outside tiles leads to.
template <class Word>
__device__ Word pull_outside(const search<Word>& s, const reached_words<Word>& visited, std::uint32_t w,
                             Word open) {
    constexpr int size = search<Word>::size;
    Word found = 0;
    const auto [begin, end] = s.in.outside_range(w);
    for (std::uint32_t k = begin + threadIdx.x % 32; k < end; k += 32) {
        const int r = s.in.outside_rows[k];
        const auto u = static_cast<std::uint32_t>(s.in.outside_columns[k]);
        if ((open >> r & 1) && (visited[u / size] >> (u % size) & 1)) found |= Word{1} << r;
    }
    return warp_or(found);
}

}  // namespace nz::kernels::cuda::tiled
