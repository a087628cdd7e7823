// The grid's pull of traverse/push_pull_fused: over bitmaps, heads of rows first, then rows.
#pragma once

#include "kernels/cuda/traverse/common_steps.cuh"

#include <type_traits>

namespace nz::kernels::cuda::traversal {

/// A word of the bitmap with groups of 2^shift bits (1 or 2) joined to one.
__device__ inline std::uint32_t coarse_of(std::uint32_t x, std::uint32_t shift) {
    for (; shift; --shift) {
        x = (x | x >> 1) & 0x55555555u;
        x = (x | x >> 1) & 0x33333333u;
        x = (x | x >> 2) & 0x0f0f0f0fu;
        x = (x | x >> 4) & 0x00ff00ffu;
        x = (x | x >> 8) & 0x0000ffffu;
    }
    return x;
}
template <class Offset>
__device__ void write_coarse(const search<Offset>& s, unsigned word, std::uint32_t bits) {
    if (s.coarse_shift == 1)
        reinterpret_cast<std::uint16_t*>(s.coarse)[word] = static_cast<std::uint16_t>(coarse_of(bits, 1));
    else if (s.coarse_shift == 2)
        s.coarse[word] = static_cast<unsigned char>(coarse_of(bits, 2));
}
/// The coarse bitmap of the visited set, after pushes.
template <class Offset>
__device__ void make_coarse(const search<Offset>& s, const progress& p) {
    for (unsigned w = grid_thread(); w < s.words; w += grid_threads())
        write_coarse(s, w, s.visited[p.current][w]);
}

/// Whether a vertex was visited when the level began: asked of shared memory, and of the bitmap where that is coarse.
struct visited_set {
    const std::uint32_t* bits;
    bool near;  // there is something in shared memory
    std::uint32_t shift;
    std::uint32_t factor = 1;  // of hash_of, where the filter is there

    __device__ std::uint32_t word_of(std::uint32_t u) const { return bits[u / 32]; }
    /// 0 where it is not wanted: a load without a branch, which others do not wait for.
    __device__ std::uint32_t word_if(bool wanted, std::uint32_t u) const {
        std::uint32_t word = 0;
        asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; @p ld.global.b32 %0, [%2];}"
                     : "+r"(word)
                     : "r"(static_cast<unsigned>(wanted)), "l"(bits + u / 32)
                     : "memory");
        return word;
    }
    __device__ bool in_bits(std::uint32_t u) const { return word_of(u) >> (u % 32) & 1; }
    __device__ bool in_near(std::uint32_t u) const {
        const std::uint32_t group = u * factor >> shift;
        return reinterpret_cast<const std::uint32_t*>(near_words)[group / 32] >> (group % 32) & 1;
    }
    /// Which of a few are visited, as bits; of those that `asked` leaves out nothing is said.
    template <int Width>
    __device__ unsigned of(const std::uint32_t (&u)[Width], unsigned asked) const {
        unsigned hits = 0;
        if (near) {
#pragma unroll
            for (int k = 0; k < Width; ++k) hits |= static_cast<unsigned>(in_near(u[k])) << k;
            hits &= asked;
            if (shift == 0 || hits == 0) return hits;
            asked = hits;
            hits = 0;
        }
        // All are asked for at once: one after another, up to the first hit, each would wait for the one before.
#pragma unroll
        for (int k = 0; k < Width; ++k)
            hits |= asked >> k & 1 ? static_cast<unsigned>(in_bits(u[k])) << k : 0u;
        return hits;
    }
};

constexpr std::uint32_t serial_edges = 64;  // neighbours that one lane looks at before its warp helps

/// A lane's search through one row.
template <class Offset>
struct row_search {
    Offset begin = 0, at = 0, end = 0;
    std::uint32_t hit = not_reached;

    __device__ bool goes_on() const { return at < end && hit == not_reached; }
    /// Width neighbours, 4 or 8: half a sector of memory or a whole one. Without Which a hit is 0.
    template <bool Which, int Width>
    __device__ void turn(const std::uint32_t* neighbours, const visited_set& visited) {
        const Offset base = at & ~Offset{Width - 1};
        std::uint32_t u[Width];
#pragma unroll
        for (int q = 0; q < Width; q += 4) {
            const uint4 four = load_once(reinterpret_cast<const uint4*>(neighbours + base + q));
            u[q] = four.x, u[q + 1] = four.y, u[q + 2] = four.z, u[q + 3] = four.w;
        }
        unsigned asked = ((1u << Width) - 1) << static_cast<unsigned>(at - base);
        if (end - base < Width) asked &= (1u << static_cast<unsigned>(end - base)) - 1;
        const unsigned hits = visited.of(u, asked);
        at = base + Width;
        if constexpr (Which) {
            const int first = __ffs(hits) - 1;
#pragma unroll
            for (int k = 0; k < Width; ++k)
                if (k == first) hit = u[k];
        } else if (hits) {
            hit = 0;
        }
    }
};

/// What is left of the long rows of a warp's lanes, one after another by all of them.
template <class Offset>
__device__ void finish_long_rows(row_search<Offset>& row, bool left_over, const std::uint32_t* neighbours,
                                 const visited_set& visited) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned left = __ballot_sync(full_warp, left_over); left; left &= left - 1) {
        const int owner = __ffs(left) - 1;
        const Offset from = __shfl_sync(full_warp, row.at, owner),
                     to = __shfl_sync(full_warp, row.end, owner);
        std::uint32_t first = not_reached;
        for (Offset k = from; k < to && first == not_reached; k += 32) {
            const std::uint32_t u = k + lane < to ? load_once(neighbours + k + lane) : not_reached;
            const unsigned hits = __ballot_sync(
                full_warp, u != not_reached && (!visited.near || visited.in_near(u)) && visited.in_bits(u));
            if (hits) first = __shfl_sync(full_warp, u, __ffs(hits) - 1);
        }
        if (static_cast<int>(lane) == owner) row.at = row.end, row.hit = first;
    }
}

/// The beginnings of up to 32 rows, a lane each, by the warp: four neighbours a lane and load, whatever row they are of, so that no load waits
/// for another. For rows that mostly hold no visited neighbour: there is no early exit. A row's first hit is its lane's `hit`;
/// `firsts` is room in shared memory, a place a lane.
template <class Offset>
__device__ void scan_rows(row_search<Offset>& row, bool there, const std::uint32_t* neighbours,
                          const visited_set& visited, std::uint32_t* firsts) {
    constexpr int at_once = 2;
    const unsigned lane = threadIdx.x % 32, up_to_lane = ~0u >> (31 - lane);
    const Offset base = row.at & ~Offset{3};
    const unsigned units =
        there ? static_cast<unsigned>(min((row.end - base + 3) / 4, Offset{serial_edges / 4})) : 0;
    unsigned sum = units;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned below = __shfl_up_sync(full_warp, sum, step);
        if (lane >= step) sum += below;
    }
    const unsigned total = __shfl_sync(full_warp, sum, 31), start = sum - units;
    const Offset origin = base - static_cast<Offset>(4 * start);
    firsts[lane] = not_reached;
    __syncwarp();
    for (unsigned from = 0; from < total; from += 32 * at_once) {
        int owner[at_once];
        uint4 four[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const unsigned first = from + 32 * k, at = first + lane;
            const unsigned begun = __popc(__ballot_sync(full_warp, units && start < first));
            const unsigned begin =
                __reduce_or_sync(full_warp, units && start - first < 32 ? 1u << (start - first) : 0u);
            owner[k] = static_cast<int>(begun + __popc(begin & up_to_lane)) - 1;
            const Offset place = __shfl_sync(full_warp, origin, owner[k]) + static_cast<Offset>(4 * at);
            four[k] = uint4{not_reached, not_reached, not_reached, not_reached};
            if (at < total) four[k] = load_once(reinterpret_cast<const uint4*>(neighbours + place));
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const std::uint32_t u[4] = {four[k].x, four[k].y, four[k].z, four[k].w};
            const unsigned at = from + 32 * k + lane;
            unsigned asked = 0;
            if (at < total)
#pragma unroll
                for (int q = 0; q < 4; ++q) asked |= static_cast<unsigned>(visited.in_near(u[q])) << q;
            if (!__any_sync(full_warp, asked)) continue;
            const Offset place = __shfl_sync(full_warp, origin, owner[k]) + static_cast<Offset>(4 * at),
                         begin = __shfl_sync(full_warp, row.at, owner[k]),
                         end = __shfl_sync(full_warp, row.end, owner[k]);
            // A load has neighbours of the rows beside at its ends.
            if (place < begin) asked &= 0xfu << static_cast<unsigned>(begin - place);
            if (end - place < 4) asked &= (1u << static_cast<unsigned>(end - place)) - 1;
            unsigned hits = 0;
            std::uint32_t words[4];
#pragma unroll
            for (int q = 0; q < 4; ++q) words[q] = visited.word_if(asked >> q & 1, u[q]);
#pragma unroll
            for (int q = 0; q < 4; ++q) hits |= (words[q] >> u[q] % 32 & 1) << q;
            if (hits) {
                const int first = __ffs(hits) - 1;
                std::uint32_t hit = u[0];
#pragma unroll
                for (int q = 1; q < 4; ++q)
                    if (q == first) hit = u[q];
                atomicMin(firsts + owner[k], hit);
            }
        }
    }
    __syncwarp();
    if (!there) return;
    row.hit = firsts[lane];
    row.at = base + static_cast<Offset>(4 * units);
}

/// The same with switches off: values read, no early exit.
template <class Offset>
__device__ std::uint32_t first_visited_plainly(const search<Offset>& s, Offset begin, Offset end,
                                               const std::uint32_t* operand) {
    std::uint32_t hit = not_reached;
    for (Offset k = begin; k < end; ++k) {
        const std::uint32_t u = s.in_neighbours[k];
        if (!(operand[u / 32] >> (u % 32) & 1) || (s.in_values && !s.in_values[k]) || hit != not_reached)
            continue;
        hit = u;
        if (s.early_exit) break;
    }
    return hit;
}

/// Copies what fits of the visited set to shared memory, 16 bytes a thread and turn, or the filter.
template <bool Few, class Offset>
__device__ visited_set load_visited(const search<Offset>& s, const std::uint32_t* bits) {
    if constexpr (Few) {
        static_assert(filter_words <= block_threads);
        if (threadIdx.x < filter_words)
            reinterpret_cast<std::uint32_t*>(near_words)[threadIdx.x] = s.filter[threadIdx.x];
        __syncthreads();
        return {bits, true, hash_shift, hash_factor};
    }
    if (!s.coarse_bytes) return {bits, false, 0};
    const void* const from = s.coarse_shift ? static_cast<const void*>(s.coarse) : bits;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < s.coarse_bytes / 16; i += block_threads)
        near_words[i] = static_cast<const uint4*>(from)[i];
    if (const std::uint32_t rest = s.coarse_bytes / 16 * 16 + threadIdx.x; rest < s.coarse_bytes)
        reinterpret_cast<unsigned char*>(near_words)[rest] = static_cast<const unsigned char*>(from)[rest];
    __syncthreads();
    return {bits, true, s.coarse_shift};
}

constexpr unsigned chunk_words = 32;  // words of 32 vertices a warp takes at a time, one a lane
constexpr unsigned ring_places = 64;  // room for two words of vertices
constexpr std::uint16_t no_place = 0xffff;

/// What the warps of a block note about their words in shared memory.
struct pull_shared {
    std::uint32_t found[block_threads / 32][chunk_words];
    std::uint16_t open[block_threads / 32][ring_places];
};

__device__ inline pull_shared& pull_notes() {
    __shared__ pull_shared notes;
    return notes;
}
/// A place a thread, for scan_rows.
__device__ inline std::uint32_t* few_firsts() {
    __shared__ std::uint32_t firsts[block_threads];
    return firsts;
}

/// A warp's open vertices, as places in its words: each lane that comes free is handed the next one.
class open_places {
public:
    __device__ open_places(std::uint16_t* ring, std::uint32_t closed)
        : ring_(ring), closed_(closed), words_(__ballot_sync(full_warp, closed != ~0u)) {}

    /// All lanes take part; no_place to those that do not ask, and once none is left.
    __device__ std::uint16_t take(bool asks) {
        const unsigned asking = __ballot_sync(full_warp, asks);
        if (!asking) return no_place;
        const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
        while (held_ < 32 && words_) {
            const unsigned word = __ffs(words_) - 1;
            words_ &= words_ - 1;
            const std::uint32_t open = ~__shfl_sync(full_warp, closed_, word);
            if (open >> lane & 1)
                ring_[(head_ + held_ + __popc(open & below)) % ring_places] =
                    static_cast<std::uint16_t>(word * 32 + lane);
            held_ += __popc(open);
        }
        __syncwarp();
        const unsigned rank = __popc(asking & below);
        const std::uint16_t place = asks && rank < held_ ? ring_[(head_ + rank) % ring_places] : no_place;
        const unsigned taken = min(static_cast<unsigned>(__popc(asking)), held_);
        head_ += taken;
        held_ -= taken;
        __syncwarp();
        return place;
    }

private:
    std::uint16_t* ring_;
    std::uint32_t closed_;
    unsigned words_, head_ = 0, held_ = 0;
};

/// What a first look at a warp's words, one a lane, says of their open vertices.
struct first_look {
    std::uint32_t found = 0, settled = 0;  ///< settled: found, or without any other neighbour
};
/// Asks two in-neighbours of each open vertex, its strongest or its first: read in order, a bit or two looked at each. The next words' are on
/// their way while bits are looked at: all warps do the same at the same time, so that else memory and the caches took turns.
/// `word_begin(w)` is the first vertex of word w.
template <parents Kind, bool Few, class Offset, class Begin>
__device__ first_look find_by_heads(const search<Offset>& s, const visited_set& visited, std::uint32_t open,
                                    Begin&& word_begin) {
    constexpr int at_once = 4;  // words
    const unsigned lane = threadIdx.x % 32;
    first_look look;
    unsigned words = __ballot_sync(full_warp, open != 0);
    unsigned ahead_word[at_once];
    uint2 ahead[at_once];
    const auto read = [&] {
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            ahead_word[k] = words ? __ffs(words) - 1 : 32;
            words &= words - 1;
            const std::uint32_t bits = __shfl_sync(full_warp, open, ahead_word[k] % 32);
            ahead[k] = uint2{not_reached, 0};
            if (ahead_word[k] < 32 && (bits >> lane & 1))
                ahead[k] = load_once(s.heads + word_begin(ahead_word[k]) + lane);
        }
    };
    read();
    while (ahead_word[0] < 32) {
        unsigned word[at_once];
        uint2 heads[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) word[k] = ahead_word[k], heads[k] = ahead[k];
        read();
        // Each round of looks is on its way as a whole before the first is waited for.
        std::uint32_t seen[at_once];
        if constexpr (Few) {
            std::uint32_t also[at_once];
#pragma unroll
            for (int k = 0; k < at_once; ++k)
                seen[k] =
                    visited.word_if(heads[k].x != not_reached && visited.in_near(heads[k].x), heads[k].x);
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                const std::uint32_t second = heads[k].y & ~more_neighbours;
                seen[k] = seen[k] >> heads[k].x % 32 & 1;
                also[k] =
                    visited.word_if(heads[k].x != not_reached && !seen[k] && visited.in_near(second), second);
            }
#pragma unroll
            for (int k = 0; k < at_once; ++k) seen[k] |= (also[k] >> heads[k].y % 32 & 1) * 2;
        } else {
#pragma unroll
            for (int k = 0; k < at_once; ++k)
                seen[k] = heads[k].x != not_reached ? visited.word_of(heads[k].x) >> heads[k].x % 32 & 1 : 0;
#pragma unroll
            for (int k = 0; k < at_once; ++k) {
                const std::uint32_t second = heads[k].y & ~more_neighbours;
                if (heads[k].x != not_reached && !seen[k])
                    seen[k] = (visited.word_of(second) >> second % 32 & 1) * 2;
            }
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            if constexpr (Kind != parents::none)
                if (seen[k])
                    s.parents_of[word_begin(word[k]) + lane] =
                        seen[k] == 1 ? heads[k].x : heads[k].y & ~more_neighbours;
            const bool last = heads[k].x != not_reached && !(heads[k].y & more_neighbours);
            const unsigned hits = __ballot_sync(full_warp, seen[k] != 0);
            const unsigned settled = __ballot_sync(full_warp, seen[k] || last);
            if (lane == word[k]) look = {hits, settled};
        }
    }
    return look;
}

/// Gives the vertices found in a warp's words, one a lane, their level, and others of `written` none; returns the sum of this lane's
/// degrees.
template <parents Kind, class Offset, class Begin>
__device__ std::make_unsigned_t<Offset> note_levels(const search<Offset>& s, unsigned level,
                                                    std::uint32_t found, std::uint32_t written,
                                                    Begin&& word_begin) {
    constexpr int at_once = 8;
    const unsigned lane = threadIdx.x % 32;
    std::make_unsigned_t<Offset> edges = 0;
    for (unsigned words = __ballot_sync(full_warp, written != 0); words;) {
        Offset begin[at_once], end[at_once];
#pragma unroll
        for (int k = 0; k < at_once; ++k) {
            const unsigned word = words ? __ffs(words) - 1 : 32;
            words &= words - 1;
            const std::uint32_t all = __shfl_sync(full_warp, written, word % 32),
                                bits = __shfl_sync(full_warp, found, word % 32);
            begin[k] = end[k] = 0;
            if (word == 32 || !(all >> lane & 1)) continue;
            const std::uint32_t v = word_begin(word) + lane;
            const bool is_found = bits >> lane & 1;
            s.levels[v] = is_found ? level : not_reached;
            if constexpr (Kind != parents::none)
                if (!is_found) s.parents_of[v] = not_reached;
            if (!is_found) continue;
            begin[k] = load_once(s.out_offsets + v);
            end[k] = load_once(s.out_offsets + v + 1);
        }
#pragma unroll
        for (int k = 0; k < at_once; ++k)
            edges += static_cast<std::make_unsigned_t<Offset>>(end[k] - begin[k]);
    }
    return edges;
}

/// A level by pull. A lane looks through one vertex's row and takes the next open vertex as soon as it has found a
/// neighbour or the end, whatever its warp's other lanes do: as many sectors are on their way as there are lanes. The
/// offsets of the row after are read meanwhile. The new bitmap is written whole, the old one is read.
template <parents Kind, bool Plain, bool Few, class Offset>
__device__ __forceinline__ void pull_level(const search<Offset>& s, const progress& p,
                                           unsigned long long frontier_edges, bool fills, counters& next) {
    pull_shared& notes = pull_notes();
    const std::uint32_t* const before = s.visited[p.current];
    std::uint32_t* const after = s.visited[p.current ^ 1];
    const bool by_heads = Plain && s.heads;
    const visited_set visited = load_visited<Few>(s, before);
    // Rows whose first two were asked go on behind them, by a whole sector.
    const bool goes_on = by_heads && Kind == parents::smallest;
    const Offset asked = goes_on ? 2 : 0;
    const bool soon =
        !goes_on &&
        frontier_edges > 4 * s.edge_limit;  // an eighth of all: so likely is each neighbour to be in it
    const unsigned lane = threadIdx.x % 32, warps = grid_threads() / 32;
    std::uint32_t* const found_in = notes.found[threadIdx.x / 32];
    unsigned vertices = 0;
    std::make_unsigned_t<Offset> edges = 0;
    for (unsigned first = grid_thread() / 32; first < s.words; first += warps * chunk_words) {
        // Words lie as far apart as there are warps, so that the grid moves through the rows as one front.
        const auto vertex = [&](unsigned place) { return (first + place / 32 * warps) * 32 + place % 32; };
        const unsigned mine = first + lane * warps;
        const bool there = mine < s.words;
        const std::uint32_t old = there ? before[mine] : 0;
        std::uint32_t closed = there ? s.in_empty[mine] | (Plain || s.masking ? old : 0) : ~0u;
        if (there && mine * 32 + 31 >= s.n) closed |= ~0u << (s.n % 32);
        const auto begin_of = [&](unsigned word) { return (first + word * warps) * 32; };
        found_in[lane] = 0;
        if (by_heads) {
            const first_look look = find_by_heads<Kind, Few>(s, visited, ~closed, begin_of);
            found_in[lane] = look.found;
            closed |= look.settled;
        }
        open_places open(notes.open[threadIdx.x / 32], closed);
        row_search<Offset> row, ahead;
        std::uint16_t place = no_place, ahead_place = no_place;
        const auto fetch = [&] {
            const std::uint16_t taken = open.take(ahead_place == no_place);
            if (taken == no_place) return;
            ahead_place = taken;
            const std::uint32_t v = vertex(taken);
            ahead.begin = load_once(s.in_offsets + v);
            ahead.end = load_once(s.in_offsets + v + 1);
        };
        const auto go_on = [&] {
            if (place != no_place || ahead_place == no_place) return;
            row = {ahead.begin, ahead.begin + asked, ahead.end, not_reached};
            place = ahead_place;
            ahead_place = no_place;
        };
        const auto take_hit = [&] {
            atomicOr(&found_in[place / 32], 1u << place % 32);
            if constexpr (Kind != parents::none) s.parents_of[vertex(place)] = row.hit;
        };
        fetch();
        if constexpr (Few) {
            while (__any_sync(full_warp, ahead_place != no_place)) {
                go_on();
                fetch();
                const bool there = place != no_place;
                scan_rows(row, there, s.in_neighbours, visited, few_firsts() + threadIdx.x / 32 * 32);
                finish_long_rows(row, there && row.goes_on(), s.in_neighbours, visited);
                if (there && row.hit != not_reached) take_hit();
                place = no_place;
            }
        } else {
            go_on();
            while (__any_sync(full_warp, place != no_place)) {
                fetch();
                const bool searches = place != no_place;
                if constexpr (Plain) {
                    constexpr bool which = Kind != parents::none;
                    if (searches && soon) row.template turn<which, 4>(s.in_neighbours, visited);
                    if (searches && !soon) row.template turn<which, 8>(s.in_neighbours, visited);
                    __syncwarp();
                    const bool is_long = searches && row.goes_on() && row.at - row.begin >= serial_edges;
                    finish_long_rows(row, is_long, s.in_neighbours, visited);
                } else if (searches) {
                    row.at = row.end;
                    row.hit =
                        first_visited_plainly(s, row.begin, row.end, s.operand_reuse ? before : s.frontier);
                }
                if (searches && !row.goes_on()) {
                    const std::uint32_t v = vertex(place), bit = 1u << place % 32;
                    if (row.hit != not_reached && (Plain || !(before[v / 32] & bit))) take_hit();
                    place = no_place;
                }
                go_on();
            }
        }
        __syncwarp();
        const std::uint32_t found = found_in[lane];
        vertices += __popc(found);
        std::uint32_t written = found;
        if (fills && there) {
            written = ~old;
            if (mine * 32 + 31 >= s.n) written &= (1u << (s.n % 32)) - 1;
        }
        edges += note_levels<Kind>(s, p.depth + 1, found, written, begin_of);
        if (there) {
            after[mine] = old | found;
            write_coarse(s, mine, old | found);
        }
        __syncwarp();
    }
    add_up(next, vertices, edges);
}

/// The same where few vertices are visited, by the filter: apart, as the registers that it takes would be missed in other levels.
template <parents Kind, class Offset>
__device__ __noinline__ void pull_from_few(const search<Offset>& s, unsigned depth, int current, bool fills,
                                           counters& next) {
    progress p;
    p.depth = depth;
    p.current = current;
    pull_level<Kind, true, true>(s, p, 0, fills, next);
}

/// Levels (and parents) of what has not been reached, where no pull has written them.
template <parents Kind, class Offset>
__device__ void fill_rest(const search<Offset>& s, const progress& p) {
    const std::uint32_t* const visited = s.visited[p.current];
    for (unsigned first = grid_thread() / 32 * 32; first < s.words; first += grid_threads()) {
        const unsigned mine = first + threadIdx.x % 32;
        std::uint32_t open = mine < s.words ? ~fresh(visited[mine]) : 0;
        if (mine * 32 + 31 >= s.n && mine < s.words) open &= (1u << (s.n % 32)) - 1;
        for (unsigned any = __ballot_sync(full_warp, open != 0); any; any &= any - 1) {
            const int which = __ffs(any) - 1;
            const std::uint32_t word = __shfl_sync(full_warp, open, which);
            if (!(word >> threadIdx.x % 32 & 1)) continue;
            const std::uint32_t v = (first + which) * 32 + threadIdx.x % 32;
            s.levels[v] = not_reached;
            if constexpr (Kind != parents::none) s.parents_of[v] = not_reached;
        }
    }
}

/// The frontier as a bitmap of its own, for pulls without operand reuse.
template <class Offset>
__device__ void mark_frontier(const search<Offset>& s, const progress& p) {
    for (unsigned w = grid_thread() / 32; w < s.words; w += grid_threads() / 32) {
        const std::uint32_t v = w * 32 + threadIdx.x % 32;
        const unsigned word = __ballot_sync(full_warp, v < s.n && s.levels[v] == p.depth);
        if (threadIdx.x % 32 == 0) s.frontier[w] = word;
    }
}

}  // namespace nz::kernels::cuda::traversal
