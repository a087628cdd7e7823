// The steps of a level of traverse_many/bit_parallel: push or pull, which fill `next`, and the sweep that takes it in.
#pragma once

#include "kernels/cuda/traverse_many/common_levels.cuh"

namespace nz::kernels::cuda::many {

constexpr int turn_edges = 4;          // edges that a lane has in flight in push
constexpr unsigned serial_edges = 64;  // neighbours that one lane looks at in pull before its warp helps

/// Gives bits to up to `length` neighbours that lack them; lanes from `within` on, `lanes` share a piece. Blindly: whether they lack them
/// or not, which the sweep finds out: while hardly anything is seen, a look costs as much as it saves.
template <bool Blindly, class Offset>
__device__ void push_piece(const search<Offset>& s, piece p, word mine, unsigned within, unsigned lanes,
                           bool marks = true) {
    const std::uint32_t* const row = s.out_neighbours + (p >> 10);
    const auto length = static_cast<unsigned>(p & 1023);
    for (unsigned k = within; k < length; k += turn_edges * lanes) {
        std::uint32_t v[turn_edges];
        word lacks[turn_edges];
#pragma unroll
        for (int e = 0; e < turn_edges; ++e) {
            const unsigned i = k + e * lanes;
            v[e] = i < length ? load_once(row + i) : s.n;
        }
#pragma unroll
        for (int e = 0; e < turn_edges; ++e)
            lacks[e] = v[e] >= s.n ? 0 : Blindly ? mine : mine & ~s.seen[v[e]];
#pragma unroll
        for (int e = 0; e < turn_edges; ++e) {
            if (!lacks[e]) continue;
            unsigned char& mark = s.marks[v[e] / group];
            if constexpr (Blindly) {
                add_bits(&s.next[v[e]], mine);
                if (marks && !mark) mark = 1;
            } else if (atomicOr(&s.next[v[e]], lacks[e]) == 0) {
                mark = 1;
            }
        }
    }
}

/// A level by push: lanes a piece by the mean length of the frontier's; the next piece is on its way meanwhile.
template <class Offset>
__device__ void push_level(const search<Offset>& s, const progress& p, const frontier_counts& frontier) {
    const auto lanes_for = [&](unsigned few, unsigned more, unsigned many) {
        const word edges = frontier.edges, pieces = frontier.pieces;
        return edges <= few * pieces ? 4u : edges <= more * pieces ? 8u : edges <= many * pieces ? 16u : 32u;
    };
    unsigned lanes = lanes_for(8, 24, 24);  // an edge or two a lane, where all have their pieces at once
    if (frontier.pieces * word{lanes} > grid_threads()) lanes = lanes_for(16, 40, 80);  // else four
    const unsigned lane = threadIdx.x % 32, a_warp = 32 / lanes, step = grid_warps() * a_warp;
    unsigned at = spread_warp() * a_warp + lane / lanes;
    piece ahead = 0;
    std::uint32_t ahead_from = 0;
    const auto fetch = [&] {
        if (at >= frontier.pieces) return;
        ahead = s.queue[at];
        ahead_from = s.queue_from[at];
    };
    fetch();
    while (at < frontier.pieces) {
        const piece entry = ahead;
        const word mine = p.frontier[ahead_from];
        at += step;
        fetch();
        if (p.blindly)
            push_piece<true>(s, entry, mine, lane & (lanes - 1), lanes, !p.all_marked);
        else
            push_piece<false>(s, entry, mine, lane & (lanes - 1), lanes);
    }
}

/// The bits of slow sources, beside a pull: each lane looks whether a piece has some, then the warp does those.
/// A lane's piece lies as far from the next lane's as there are warps, so that the pieces of a hub spread over the grid.
template <class Offset>
__device__ void push_slow(const search<Offset>& s, const word* bits_of, const frontier_counts& frontier) {
    const unsigned lane = threadIdx.x % 32, warps = grid_warps();
    for (unsigned first = spread_warp(); first < frontier.pieces; first += 32 * warps) {
        const unsigned mine_at = first + lane * warps;
        const word bits = mine_at < frontier.pieces ? bits_of[s.queue_from[mine_at]] & frontier.slow : 0;
        for (unsigned left = __ballot_sync(full_warp, bits != 0); left; left &= left - 1) {
            const int owner = __ffs(left) - 1;
            push_piece<false>(s, s.queue[first + owner * warps], __shfl_sync(full_warp, bits, owner), lane,
                              32);
            __syncwarp();
        }
    }
}

/// A lane's look through the in-neighbours of one vertex.
template <class Offset>
struct word_row {
    Offset at = 0, end = 0;
    word missing = 0, found = 0;

    __device__ bool goes_on() const { return at < end && (missing & ~found); }
    /// The neighbours of one aligned group of four. Eight, a whole sector, was slower: 126 against 104 us where the first
    /// few neighbours hold all bits.
    __device__ void turn(const std::uint32_t* neighbours, const word* seen) {
        const Offset base = at & ~Offset{3};
        const uint4 four = load_once(reinterpret_cast<const uint4*>(neighbours + base));
        const std::uint32_t u[] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (base + k >= at && base + k < end) found |= seen[u[k]];
        at = base + 4;
    }
};

/// What the neighbours [from, to) have of the missing bits, by a whole warp, up to the last missing bit.
template <class Offset>
__device__ word warp_look(const search<Offset>& s, Offset from, Offset to, word missing) {
    const auto lane = static_cast<Offset>(threadIdx.x % 32);
    word found = 0;
    for (Offset k = from; k < to && (missing & ~found); k += 32 * turn_edges) {
#pragma unroll
        for (int e = 0; e < turn_edges; ++e)
            if (k + 32 * e + lane < to) found |= s.seen[load_once(s.in_neighbours + k + 32 * e + lane)];
        found = warp_or(found);
    }
    return found & missing;
}

/// The rows of a warp's lanes to their ends or their last missing bit: a lane a row, turn by turn as a warp, then the
/// warp shares what is left of rows past serial_edges.
template <class Offset>
__device__ void finish_rows(const search<Offset>& s, word_row<Offset>& row) {
    const Offset serial_end = min(row.end, static_cast<Offset>(row.at + Offset{serial_edges}));
    while (true) {
        const bool mine = row.at < serial_end && (row.missing & ~row.found);
        if (!__any_sync(full_warp, mine)) break;
        if (mine) row.turn(s.in_neighbours, s.seen);
        __syncwarp();
    }
    for (unsigned left = __ballot_sync(full_warp, row.goes_on()); left; left &= left - 1) {
        const int owner = __ffs(left) - 1;
        const word found =
            warp_look(s, __shfl_sync(full_warp, row.at, owner), __shfl_sync(full_warp, row.end, owner),
                      __shfl_sync(full_warp, row.missing & ~row.found, owner));
        if (static_cast<int>(threadIdx.x % 32) == owner) row.found |= found;
    }
}

/// Lists the pieces of long columns, once a batch.
template <class Offset>
__device__ void list_long(const search<Offset>& s) {
    for (std::uint32_t v = grid_thread(); v < s.n; v += grid_threads()) {
        const auto degree = static_cast<std::uint32_t>(s.in_offsets[v + 1] - s.in_offsets[v]);
        if (degree <= plan::long_column) continue;
        const auto pieces = static_cast<std::uint32_t>((degree - 1) / plan::long_column + 1);
        const unsigned at = atomicAdd(&s.shared->long_pieces, pieces);
        for (std::uint32_t k = 0; k < pieces; ++k)
            s.long_pieces[at + k] = word{v} << 32 | k * static_cast<std::uint32_t>(plan::long_column);
    }
}

/// Pull of long columns, a warp a piece, which asks for what no other piece has found yet.
template <class Offset>
__device__ void pull_long(const search<Offset>& s, word wanted) {
    const unsigned count = fresh(s.shared->long_pieces);
    for (unsigned i = spread_warp(); i < count; i += grid_warps()) {
        const word entry = s.long_pieces[i];
        const auto v = static_cast<std::uint32_t>(entry >> 32);
        // Other pieces change next(v) meanwhile: the warp goes by what one lane read.
        const word missing = wanted & ~s.seen[v] & ~__shfl_sync(full_warp, fresh(s.next[v]), 0);
        const Offset from = s.in_offsets[v] + static_cast<Offset>(entry & 0xffffffffu);
        const Offset to = min(s.in_offsets[v + 1], static_cast<Offset>(from + plan::long_column));
        const word found = warp_look(s, from, to, missing);
        if (!found || threadIdx.x % 32 > 0) continue;
        atomicOr(&s.next[v], found);
        s.marks[v / group] = 1;
    }
}

/// Pull of all other columns. A warp takes eight groups of vertices, as far apart as there are warps so that the grid
/// moves through the rows as one front, lists those that lack wanted bits, and gives each lane one at a time; the
/// offsets of the next 32 are on their way meanwhile.
template <class Offset>
__device__ void pull_level(const search<Offset>& s, word wanted) {
    __shared__ unsigned char open_of[block_threads / 32][task_groups * group];
    const unsigned lane = threadIdx.x % 32, warps = grid_warps();
    unsigned char* const open = open_of[threadIdx.x / 32];
    for (unsigned first = grid_thread() / 32; first < s.groups; first += warps * task_groups) {
        const auto vertex = [&](unsigned place) {
            return (first + place / group * warps) * group + place % group;
        };
        unsigned total = 0;
#pragma unroll
        for (unsigned j = 0; j < task_groups; ++j) {
            const std::uint32_t v = vertex(j * group + lane);
            const bool lacks = v < s.n && (wanted & ~s.seen[v]) && !(s.in_empty[v / 32] >> (v % 32) & 1);
            const unsigned all = __ballot_sync(full_warp, lacks);
            if (lacks)
                open[total + __popc(all & ((1u << lane) - 1))] = static_cast<unsigned char>(j * group + lane);
            total += __popc(all);
        }
        __syncwarp();
        word_row<Offset> ahead;
        std::uint32_t ahead_vertex = 0;
        const auto fetch = [&](unsigned i) {
            ahead = {};
            if (i >= total) return;
            ahead_vertex = vertex(open[i]);
            ahead.at = load_once(s.in_offsets + ahead_vertex);
            ahead.end = load_once(s.in_offsets + ahead_vertex + 1);
            if (ahead.end - ahead.at > plan::long_column) ahead.end = ahead.at;  // pull_long's
            ahead.missing = wanted & ~s.seen[ahead_vertex];
        };
        fetch(lane);
        for (unsigned i = lane; i - lane < total; i += 32) {
            word_row<Offset> row = ahead;
            const std::uint32_t v = ahead_vertex;
            fetch(i + 32);
            finish_rows(s, row);
            if (const word found = row.found & row.missing) {
                atomicOr(&s.next[v], found);
                s.marks[v / group] = 1;
            }
        }
        __syncwarp();
    }
}

/// What a lane of a sweep found; columns: how often the bits `lane` and `lane + 32` were set.
struct finds {
    unsigned vertices = 0, column_low = 0, column_high = 0;
    word edges = 0, pairs = 0, pair_edges = 0, closed_edges = 0, sources = 0;
};

constexpr unsigned lane_finds = 3;  // vertices that a lane of a sweep has at a time

/// Up to 32 * lane_finds vertices of a warp's list, whose words in `next` are not 0.
template <bool Levels, class Offset>
__device__ void take_in(const search<Offset>& s, const progress& p, std::uint32_t first,
                        const unsigned char* list, unsigned length, finds& mine, counters& to) {
    constexpr unsigned count = lane_finds;
    const unsigned lane = threadIdx.x % 32;
    word bits[count], seen[count];
    find f[count];
    // All loads before what stores, which loads are not moved across; but for sums of vertices, for want of registers (by atomic operations
    // that nothing waits for, a search of rmat:20,16 took 0.476 ms for 0.416, of 0.358 without sums).
#pragma unroll
    for (unsigned j = 0; j < count; ++j) {
        f[j].found = lane + 32 * j < length;
        bits[j] = seen[j] = 0;
        if (!f[j].found) continue;
        const std::uint32_t v = f[j].vertex = first + list[lane + 32 * j];
        bits[j] = s.next[v];
        seen[j] = s.seen[v];
        f[j].begin = static_cast<std::uint64_t>(s.out_offsets[v]);
        f[j].degree = static_cast<std::uint32_t>(s.out_offsets[v + 1] - static_cast<Offset>(f[j].begin));
    }
#pragma unroll
    for (unsigned j = 0; j < count; ++j) {
        const std::uint32_t v = f[j].vertex;
        if (f[j].found) {
            const word before = bits[j];
            bits[j] &= ~seen[j];  // a push that does not look at what is seen leaves that in as well
            s.next[v] = 0;
            if (!Levels || !p.in_planes || bits[j] != before) p.finds[v] = bits[j];
            f[j].found = bits[j] != 0;
        }
        if (Levels && !p.in_planes) write_found(s, v, bits[j], [&](int) { return p.depth; });
        if (!f[j].found) continue;
        const word all = seen[j] | bits[j];
        s.seen[v] = all;
        ++mine.vertices;
        mine.edges += f[j].degree;
        mine.pairs += __popcll(bits[j]);
        mine.pair_edges += word{f[j].degree} * __popcll(bits[j]);
        mine.sources |= bits[j];
        if (s.of_vertices.reached)
            s.of_vertices.add(v, __popcll(bits[j]), static_cast<std::int32_t>(p.depth));
        if (!(p.active & ~all)) mine.closed_edges += static_cast<word>(s.in_offsets[v + 1] - s.in_offsets[v]);
    }
#pragma unroll
    for (unsigned j = 0; j < count; ++j) {
        if (!__any_sync(full_warp, f[j].found)) continue;
        mine.column_low += __popc(transpose_bits(static_cast<unsigned>(bits[j])));
        mine.column_high += __popc(transpose_bits(static_cast<unsigned>(bits[j] >> 32)));
    }
    append(
        f, [&](std::uint32_t total) { return atomicAdd(&to.pieces, total); },
        [&](std::uint32_t at, piece entry, std::uint32_t v) {
            s.queue[at] = entry;
            s.queue_from[at] = v;
        });
}

/// Sums what the threads of a block found, adds it to the level's counters, one atomic each a block, and to the tally.
__device__ inline void add_up(counters& to, const finds& mine, unsigned depth, tally& all) {
    __shared__ counters block;
    __shared__ unsigned columns[plan::batch_sources];
    if (threadIdx.x < plan::batch_sources) columns[threadIdx.x] = 0;
    if (threadIdx.x == 0) block = {};
    __syncthreads();
    const unsigned vertices = __reduce_add_sync(full_warp, mine.vertices), lane = threadIdx.x % 32;
    if (vertices) {
        word sums[] = {mine.edges, mine.pairs, mine.pair_edges, mine.closed_edges};
        for (unsigned step = 16; step; step /= 2)
            for (word& x : sums) x += __shfl_down_sync(full_warp, x, step);
        const word sources = warp_or(mine.sources);
        if (lane == 0) {
            atomicAdd(&block.vertices, vertices);
            atomicAdd(&block.edges, sums[0]);
            atomicAdd(&block.pairs, sums[1]);
            atomicAdd(&block.pair_edges, sums[2]);
            atomicAdd(&block.closed_edges, sums[3]);
            atomicOr(&block.sources, sources);
        }
        atomicAdd(&columns[lane], mine.column_low);
        atomicAdd(&columns[lane + 32], mine.column_high);
    }
    __syncthreads();
    if (!block.vertices) return;
    if (threadIdx.x == 0) {
        atomicAdd(&to.vertices, block.vertices);
        atomicAdd(&to.edges, block.edges);
        atomicAdd(&to.pairs, block.pairs);
        atomicAdd(&to.pair_edges, block.pair_edges);
        atomicAdd(&to.closed_edges, block.closed_edges);
        atomicOr(&to.sources, block.sources);
    }
    if (threadIdx.x < plan::batch_sources && columns[threadIdx.x]) {
        atomicAdd(&to.pairs_of[threadIdx.x], columns[threadIdx.x]);
        all.reached[threadIdx.x] += columns[threadIdx.x];
        all.level_sums[threadIdx.x] += word{columns[threadIdx.x]} * depth;
        all.depths[threadIdx.x] = depth;
    }
}

/// Moves next into seen. A warp takes the marks of eight groups and lists their vertices whose words changed.
template <bool Levels, class Offset>
__device__ void sweep(const search<Offset>& s, const progress& p, counters& to, tally& all) {
    __shared__ unsigned char changed_of[block_threads / 32][task_groups * group];
    finds mine;
    const unsigned lane = threadIdx.x % 32;
    unsigned char* const changed = changed_of[threadIdx.x / 32];
    word* const marks_of_tasks = reinterpret_cast<word*>(s.marks);
    for (unsigned task = spread_warp(); task * task_groups < s.groups; task += grid_warps()) {
        const word marks = p.all_marked ? ~word{0} : marks_of_tasks[task];
        if (!marks) continue;
        __syncwarp();
        if (lane == 0) marks_of_tasks[task] = 0;
        if (Levels && p.in_planes && p.depth && lane < task_groups && marks >> (8 * lane) & 255)
            note_level(s, task * task_groups + lane, p.depth - 1 - p.base);
        const std::uint32_t first = task * task_groups * group;
        word fresh_bits[task_groups];
#pragma unroll
        for (unsigned j = 0; j < task_groups; ++j) {
            const std::uint32_t v = first + j * group + lane;
            fresh_bits[j] = marks >> (8 * j) & 255 && v < s.n ? s.next[v] : 0;
        }
        unsigned total = 0;
#pragma unroll
        for (unsigned j = 0; j < task_groups; ++j) {
            if (!(marks >> (8 * j) & 255)) continue;
            const unsigned all = __ballot_sync(full_warp, fresh_bits[j] != 0);
            if (fresh_bits[j])
                changed[total + __popc(all & ((1u << lane) - 1))] =
                    static_cast<unsigned char>(j * group + lane);
            const std::uint32_t v = first + j * group + lane;
            if (Levels && p.in_planes && v < s.stride) __stcs(&p.finds[v], fresh_bits[j]);
            total += __popc(all);
        }
        __syncwarp();
        for (unsigned at = 0; at < total; at += 32 * lane_finds)
            take_in<Levels>(s, p, first, changed + at, total - at, mine, to);
        __syncwarp();
    }
    add_up(to, mine, p.depth, all);
}

}  // namespace nz::kernels::cuda::many
