// The state of one search of traverse/push_pull_fused on a GPU, and what its steps share. The essay is in
// push_pull_fused.cu.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/traverse_arguments.hpp"

namespace nz::kernels::cuda::traversal {

namespace cg = cooperative_groups;

constexpr int block_threads = 1024;
constexpr int cluster_blocks = 16;          // the thin step's multiprocessors: Hopper grants 16 where asked
constexpr int blocks_an_sm = 1;             // 64 registers a thread: little spills
constexpr std::uint32_t not_reached = ~0u;  // -1 to the caller, and more than any parent
constexpr unsigned piece_bits =
    7;  // a piece of a row in a queue has up to 128 edges: a warp's turn, four a lane
constexpr std::uint32_t piece_edges = 1u << piece_bits;
/// Where a warp finds many rows at once there is work for all, and cutting up hubs would take long: four turns.
constexpr unsigned long_piece_bits = 9;
constexpr unsigned many_finds = 16;
constexpr int turn_edges = 4;               // edges that a lane has in flight
constexpr std::uint32_t thin_slots = 1024;  // pieces that a block of the thin step holds

enum class parents { none, any, smallest };
/// plain: masking, early exit, operand reuse and structure only are on, duplicates off. wide: so too, on a graph whose levels are few and
/// wide: no thin ones, and a push that a pull may follow queues nothing. switched: any of the five may be off. repeating: duplicates is on,
/// the others as may be.
enum class form { plain, wide, switched, repeating };
constexpr bool is_plain(form f) { return f == form::plain || f == form::wide; }

constexpr std::uint32_t more_neighbours = heads_more;

/// Counters rotate over three levels: one read, one written, one cleared.
struct alignas(16) counters {
    unsigned pieces, vertices;
    unsigned long long edges;
};

struct control {
    unsigned arrived;
    counters of[3];
    unsigned thin_pieces;  // that the thin step leaves in the queue
    // What the thin step hands back.
    unsigned depth, previous, pulls;
    unsigned long long reached, total_edges;
};

/// A piece of a row in a queue: where it begins in the neighbours and how many there are.
using piece = unsigned long long;
__device__ inline piece piece_of(std::uint64_t row, std::uint32_t degree, std::uint32_t k, unsigned bits) {
    return (row + (std::uint64_t{k} << bits)) << 10 | min(1u << bits, degree - (k << bits));
}

template <class Offset>
struct search {
    std::uint32_t n, words;
    const Offset *out_offsets, *in_offsets;
    const std::uint32_t *out_neighbours, *in_neighbours;
    const bool *out_values, *in_values;  // null: every entry is true
    std::uint32_t source, max_depth;
    std::uint32_t alpha_size, beta_size;  // pull above, push below so many vertices
    unsigned long long edge_limit;
    bool may_change, masking, early_exit, operand_reuse, symmetric;
    bool plain_pull;     // read where form is repeating: nothing but duplicates is off its default
    bool pull_steps_in;  // there and where it is wide: the rule may pull
    std::uint32_t schedule_levels;
    unsigned long long schedule_pulls;
    std::uint32_t *levels, *parents_of;  // parents_of null: not wanted
    std::uint32_t* visited[2];
    unsigned char* coarse;  // one bit for 2^coarse_shift vertices: what fits shared memory of the visited set
    std::uint32_t coarse_shift;  // 0: the bitmap itself
    std::uint32_t coarse_bytes;  // in shared memory; 0: too many vertices even so
    std::uint32_t*
        filter;  // bits that the vertices of first pushes hash to, for the pull after them; null: not kept
    std::uint32_t* frontier;  // bitmap, with operand_reuse off
    const std::uint32_t* in_empty;
    const uint2* heads;  // two in-neighbours of each vertex, to be asked before its row; null: not at hand
    piece* queue[2];
    std::uint32_t* queue_from[2];  // whose row a piece is of; with parents
    std::uint32_t capacity;        // pieces that a queue holds
    std::uint32_t lanes;  // that share a piece: of thin graphs 4, or 8 where rows have five entries and more
    bool thin;            // few entries a row
    std::uint32_t cluster_blocks;  // 16, or fewer where no level goes by one cluster
    control* shared;
    traverse_report* report;
    traverse_told* told;
};

/// Where the search stands; every thread holds the same.
struct progress {
    unsigned depth = 0, previous = 0;
    bool pulls = false, queued = true;
    bool filled = false;        // all levels have been written, of what is not reached too
    bool filter = false;        // it has all that was visited
    int side = 0, current = 0;  // which queue and which bitmap hold the present
    unsigned long long reached = 1, edges = 0;
};

/// plan::choose_direction on counts.
template <class Offset>
__device__ bool choose_pull(const search<Offset>& s, progress& p, unsigned size, unsigned long long edges) {
    const bool rises = size > p.previous, falls = size<p.previous, hubs = edges> s.edge_limit;
    bool pulls = p.pulls;
    if (s.may_change) {
        if (!pulls)
            pulls = rises && (size > s.alpha_size || hubs);
        else
            pulls = !(size < s.beta_size && falls && !hubs);
    }
    if (p.depth < s.schedule_levels) pulls = s.schedule_pulls >> p.depth & 1;
    p.previous = size;
    return pulls;
}

template <class Offset>
__device__ void record_level(const search<Offset>& s, unsigned depth, bool pulls, unsigned size,
                             unsigned long long edges) {
    if (depth < traverse_report::capacity)
        s.report->records[depth] = {size, pulls, edges, static_cast<std::uint64_t>(clock64())};
}

/// Of the filter: where a vertex is (Fibonacci hashing), and of how many vertices few others hash to what they do.
constexpr std::uint32_t filter_bits = 15, filter_words = (1u << filter_bits) / 32,
                        filter_room = (1u << filter_bits) / 5;
constexpr std::uint32_t hash_factor = 0x9e3779b1u, hash_shift = 32 - filter_bits;
__device__ inline std::uint32_t hash_of(std::uint32_t v) { return v * hash_factor >> hash_shift; }

extern __shared__ uint4 near_words[];  // in pull what fits of the visited set, with repeats finds

/// What a lane found: rows to put into a queue.
struct find {
    std::uint32_t vertex = 0, degree = 0;
    std::uint64_t begin = 0;
    bool found = false;

    __device__ std::uint32_t pieces(unsigned bits) const {
        return found && degree ? ((degree - 1) >> bits) + 1 : 0;
    }
};

/// What a vertex is claimed by: its bit in the visited set, or the word of its level (or smallest parent), whose finder sets the bit. Vertices
/// found together mostly have numbers close by: on laplace3d:80 a level's 90,000 claims of bits went to a few lines of L2, which took them
/// one by one.
enum class claims { bits, words };

/// Leaves as found those that no earlier level has reached and, but for the smallest parents, nobody yet: by the levels.
template <parents Kind, int Count, class Offset>
__device__ __forceinline__ void keep_unreached(const search<Offset>& s, std::uint32_t level,
                                               find (&finds)[Count]) {
    std::uint32_t seen[Count];
#pragma unroll
    for (int e = 0; e < Count; ++e) seen[e] = finds[e].found ? fresh(s.levels[finds[e].vertex]) : 0;
#pragma unroll
    for (int e = 0; e < Count; ++e)
        finds[e].found =
            finds[e].found && (Kind == parents::smallest ? seen[e] >= level : seen[e] == not_reached);
}

/// Claims the vertices found from u on `level`, and keeps as found those that this thread is the first to find. `bits`
/// is the visited set. By words only what keep_unreached has left. Stage by stage: what each waits for is on its way for all of them.
template <parents Kind, claims By, int Count, class Offset>
__device__ __forceinline__ void claim(const search<Offset>& s, std::uint32_t* bits, std::uint32_t level,
                                      std::uint32_t u, find (&finds)[Count]) {
    static_assert(By == claims::words || Kind != parents::smallest);
    std::uint32_t old[Count];
#pragma unroll
    for (int e = 0; e < Count; ++e) {
        old[e] = 0;
        if (!finds[e].found) continue;
        const std::uint32_t v = finds[e].vertex;
        // All neighbours in the frontier lower the smallest parent; whoever found none there is the finder.
        if constexpr (Kind == parents::smallest)
            old[e] = atomicMin(&s.parents_of[v], u);
        else if constexpr (By == claims::words)
            old[e] = atomicExch(&s.levels[v], level);
        else
            old[e] = atomicOr(&bits[v / 32], 1u << v % 32);
    }
#pragma unroll
    for (int e = 0; e < Count; ++e)
        finds[e].found = finds[e].found && (By == claims::words ? old[e] == not_reached
                                                                : !(old[e] >> finds[e].vertex % 32 & 1));
#pragma unroll
    for (int e = 0; e < Count; ++e) {
        if (!finds[e].found) continue;
        const std::uint32_t v = finds[e].vertex;
        if constexpr (By == claims::bits || Kind == parents::smallest) s.levels[v] = level;
        if constexpr (By == claims::words) atomicOr(&bits[v / 32], 1u << v % 32);
        if constexpr (Kind == parents::any) s.parents_of[v] = u;
    }
}

constexpr std::uint32_t no_room = ~0u;   // in place of a place: pieces are not wanted
constexpr std::uint32_t few_pieces = 8;  // rows of more are cut up by the whole warp

/// A warp's lanes put the rows of what they found, Count each, into a queue, in pieces. All lanes take part;
/// `slot(total)` gives room for `total` pieces, `put(at, piece, vertex)` stores one.
template <int Count, class Slot, class Put>
__device__ __forceinline__ void append(const find (&finds)[Count], Slot&& slot, Put&& put) {
    unsigned found = 0;
#pragma unroll
    for (const find& f : finds) found += f.found;
    found = __reduce_add_sync(full_warp, found);
    if (found == 0) return;
    const unsigned lane = threadIdx.x % 32;
    const unsigned bits = found > many_finds ? long_piece_bits : piece_bits;
    std::uint32_t mine = 0;
    bool whole = true;  // each row is one piece at most: the usual case
#pragma unroll
    for (const find& f : finds) {
        mine += f.pieces(bits);
        whole = whole && f.pieces(bits) <= 1;
    }
    if (__all_sync(full_warp, whole)) {
        unsigned takers[Count], total = 0;
#pragma unroll
        for (int e = 0; e < Count; ++e) {
            takers[e] = __ballot_sync(full_warp, finds[e].pieces(bits) > 0);
            total += __popc(takers[e]);
        }
        std::uint32_t base = 0;
        if (lane == 0 && total) base = slot(total);
        base = __shfl_sync(full_warp, base, 0);
#pragma unroll
        for (int e = 0; e < Count; ++e) {
            const find& f = finds[e];
            if (takers[e] >> lane & 1)
                put(base + __popc(takers[e] & ((1u << lane) - 1)), piece_of(f.begin, f.degree, 0, bits),
                    f.vertex);
            base += __popc(takers[e]);
        }
        return;
    }
    std::uint32_t sum = mine;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, sum, step);
        if (lane >= step) sum += below;
    }
    std::uint32_t base = 0;
    if (lane == 31) base = slot(sum);
    base = __shfl_sync(full_warp, base, 31);
    if (base == no_room) return;
    std::uint32_t at = base + sum - mine;
#pragma unroll
    for (int e = 0; e < Count; ++e) {
        const find& f = finds[e];
        const std::uint32_t pieces = f.pieces(bits);
        if (pieces <= few_pieces)
            for (std::uint32_t k = 0; k < pieces; ++k)
                put(at + k, piece_of(f.begin, f.degree, k, bits), f.vertex);
        for (unsigned many = __ballot_sync(full_warp, pieces > few_pieces); many; many &= many - 1) {
            const int owner = __ffs(many) - 1;
            const std::uint32_t first = __shfl_sync(full_warp, at, owner),
                                v = __shfl_sync(full_warp, f.vertex, owner),
                                degree = __shfl_sync(full_warp, f.degree, owner),
                                all = __shfl_sync(full_warp, pieces, owner);
            const std::uint64_t begin = __shfl_sync(full_warp, f.begin, owner);
            for (std::uint32_t k = lane; k < all; k += 32)
                put(first + k, piece_of(begin, degree, k, bits), v);
        }
        at += pieces;
    }
}

}  // namespace nz::kernels::cuda::traversal
