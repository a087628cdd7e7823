// The state of one search of shortest/delta_stepping on a GPU, and the relaxation that its steps share. The essay is in
// delta_stepping.cu.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/shortest_arguments.hpp"
#include "plan/shortest.hpp"

#include <type_traits>

namespace nz::kernels::cuda::paths {

namespace cg = cooperative_groups;

constexpr int block_threads = 1024;
constexpr int cluster_blocks = 16;  // the thin steps' multiprocessors: Hopper grants 16 where asked
constexpr int blocks_an_sm = 1;  // 64 registers a thread: what spills is read back from the first-level cache
constexpr auto piece_edges = static_cast<std::uint32_t>(plan::shortest_piece_edges);
constexpr int turn_edges = 4;  // edges that a lane has in flight

/// kernels::path_length as device code; weights come as their bits.
template <class Weight>
struct length {
    using key = typename path_length<Weight>::key;
    static constexpr key unreached = ~key{0};

    __device__ static key add(key a, key w) {
        if constexpr (std::is_integral_v<Weight>) {
            const key sum = a + w;
            return sum > unreached / 2 ? unreached : sum;
        } else if constexpr (sizeof(Weight) == 4) {
            const key sum = __float_as_uint(__uint_as_float(a) + __uint_as_float(w));
            return sum < 0x7f800000u ? sum : unreached;
        } else {
            const key sum =
                static_cast<key>(__double_as_longlong(__longlong_as_double(static_cast<long long>(a)) +
                                                      __longlong_as_double(static_cast<long long>(w))));
            return sum < 0x7ff0000000000000u ? sum : unreached;
        }
    }
    __device__ static key bound(key from, key delta) {
        const key sum = add(from, delta);
        return sum > from ? sum : from + 1;
    }
    /// A half wider.
    __device__ static key wider(key delta) {
        if constexpr (std::is_integral_v<Weight>)
            return delta + delta / 2 + 1;
        else if constexpr (sizeof(Weight) == 4)
            return __float_as_uint(__uint_as_float(delta) * 1.5f);
        else
            return static_cast<key>(
                __double_as_longlong(__longlong_as_double(static_cast<long long>(delta)) * 1.5));
    }
};

__device__ inline std::uint32_t lower(std::uint32_t* at, std::uint32_t to) { return atomicMin(at, to); }
__device__ inline std::uint64_t lower(std::uint64_t* at, std::uint64_t to) {
    return atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(to));
}

/// A piece of a row in a queue, with the distance that its vertex had when it was put there: once the vertex's own is
/// another, the piece is stale.
template <class Key>
struct entry;
template <>
struct alignas(16) entry<std::uint32_t> {
    std::uint64_t piece;  // where it begins in the edges, and, in the low 10 bits, how many there are
    std::uint32_t distance, vertex;
};
template <>
struct alignas(32) entry<std::uint64_t> {
    std::uint64_t piece, distance;
    std::uint32_t vertex, rest[3] = {};  // written, since it is read with the vertex
};

/// Counters rotate over three steps: one read, one written, one cleared.
struct counters {
    unsigned pieces, far;         // pieces in the queue; beyond the bound
    unsigned long long smallest;  // distance beyond the bound
};
struct control {
    unsigned arrived;
    counters of[3];
    // What the thin steps hand back.
    unsigned long long bound, delta;
    unsigned rounds, buckets, finished;
};

/// Offset: std::uint32_t or std::uint64_t.
template <class Weight, class Offset>
struct search {
    using key = typename length<Weight>::key;
    using raw_edge = std::conditional_t<sizeof(key) == 4, unsigned long long, uint4>;

    std::uint32_t n;
    const Offset* offsets;
    const raw_edge* edges;  // storage::weighted_edge
    std::uint32_t source;
    key first_delta, delta;  // widths of the first bucket and of those that came after enough others
    key *distance, *done;    // done: the distance that a vertex was last relaxed from
    entry<key>* queue[2];
    std::uint32_t capacity;     // every piece of every row
    bool few_edges;             // most rows are of few edges
    std::uint32_t turn_pieces;  // that a block takes at a time
    std::uint32_t thin_pieces;  // near pieces up to which one cluster goes on alone
    control* shared;
    shortest_report* report;

    __device__ static std::uint32_t target(const raw_edge& e) {
        if constexpr (sizeof(key) == 4)
            return static_cast<std::uint32_t>(e);
        else
            return e.x;
    }
    __device__ static key weight(const raw_edge& e) {
        if constexpr (sizeof(key) == 4)
            return static_cast<key>(e >> 32);
        else
            return static_cast<key>(e.w) << 32 | e.z;
    }
};

/// Where the search stands; every thread holds the same.
template <class Weight>
struct progress {
    typename length<Weight>::key bound, delta;
    unsigned step = 0, rounds = 0, buckets = 0;
    int side = 0;  // which queue holds the present

    /// The next bucket, from `from` on.
    __device__ void raise(typename length<Weight>::key from, typename length<Weight>::key most) {
        delta = min(most, length<Weight>::wider(delta));
        bound = length<Weight>::bound(from, delta);
        ++buckets;
    }
};

/// What a thread has done so far.
struct tally {
    unsigned long long relaxations = 0;
    bool dropped = false;
};

/// What a lane found: a vertex that became nearer.
template <class Key, class Offset>
struct find {
    std::uint32_t vertex = 0;
    Offset begin = 0, end = 0;  // of its row
    Key distance = 0;
    bool found = false;

    __device__ std::uint32_t degree() const { return static_cast<std::uint32_t>(end - begin); }
    __device__ std::uint32_t pieces() const { return (degree() + piece_edges - 1) / piece_edges; }
    __device__ entry<Key> at(std::uint32_t k) const {
        return {(std::uint64_t{begin} + std::uint64_t{k} * piece_edges) << 10 |
                    min(piece_edges, degree() - k * piece_edges),
                distance, vertex};
    }
};

constexpr std::uint32_t few_pieces = 8;  // rows of more are cut up by the whole warp

/// A warp's lanes put the rows of those of their finds that are `wanted` into a list, in pieces. All lanes take part;
/// slot(total), called by all, gives room for `total` pieces, put(at, entry) stores one.
template <int Count, class Key, class Offset, class Wanted, class Slot, class Put>
__device__ void append(const find<Key, Offset> (&finds)[Count], Wanted&& wanted, Slot&& slot, Put&& put) {
    std::uint32_t mine = 0;
#pragma unroll
    for (const auto& f : finds) mine += wanted(f) ? f.pieces() : 0;
    if (!__any_sync(full_warp, mine > 0)) return;
    const unsigned lane = threadIdx.x % 32;
    if (Count == 1 && !__any_sync(full_warp, mine > 1)) {  // the usual case of thin graphs
        const unsigned all = __ballot_sync(full_warp, mine > 0);
        const std::uint32_t base = slot(__popc(all));
        if (mine) put(base + __popc(all & ((1u << lane) - 1)), finds[0].at(0));
        return;
    }
    std::uint32_t sum = mine;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, sum, step);
        if (lane >= step) sum += below;
    }
    std::uint32_t at = slot(__shfl_sync(full_warp, sum, 31)) + sum - mine;
#pragma unroll
    for (const auto& f : finds) {
        const std::uint32_t pieces = wanted(f) ? f.pieces() : 0;
        if (pieces <= few_pieces)
            for (std::uint32_t k = 0; k < pieces; ++k) put(at + k, f.at(k));
        for (unsigned many = __ballot_sync(full_warp, pieces > few_pieces); many; many &= many - 1) {
            const int owner = __ffs(many) - 1;
            find<Key, Offset> of;
            of.vertex = __shfl_sync(full_warp, f.vertex, owner);
            of.begin = __shfl_sync(full_warp, f.begin, owner);
            of.end = __shfl_sync(full_warp, f.end, owner);
            of.distance = __shfl_sync(full_warp, f.distance, owner);
            const std::uint32_t first = __shfl_sync(full_warp, at, owner), all = of.pieces();
            for (std::uint32_t k = lane; k < all; k += 32) put(first + k, of.at(k));
        }
        at += pieces;
    }
}
/// Room in a list whose length is `count`, taken by one lane for its warp.
__device__ inline std::uint32_t take_room(unsigned* count, std::uint32_t total) {
    std::uint32_t base = 0;
    if (threadIdx.x % 32 == 0) base = atomicAdd(count, total);
    return __shfl_sync(full_warp, base, 0);
}

/// Lowers the distance of what lies at the end of each edge, and finds its row. Peek: look at a distance before lowering
/// it; where most edges improve, lowering alone is the shorter chain. Each loop asks for all before the next looks at
/// any: otherwise the edges in flight would wait for each other.
template <bool Peek, int Edges, class Weight, class Offset>
__device__ void lower_all(const search<Weight, Offset>& s, tally& t,
                          find<typename length<Weight>::key, Offset> (&finds)[Edges]) {
    typename length<Weight>::key before[Edges];
#pragma unroll
    for (const auto& f : finds) t.dropped |= f.found && f.distance == length<Weight>::unreached;
    if constexpr (Peek) {
#pragma unroll
        for (int i = 0; i < Edges; ++i) {
            before[i] = 0;
            if (finds[i].found) before[i] = fresh(s.distance[finds[i].vertex]);
        }
#pragma unroll
        for (int i = 0; i < Edges; ++i) finds[i].found = finds[i].distance < before[i];
    }
#pragma unroll
    for (int i = 0; i < Edges; ++i) {
        find<typename length<Weight>::key, Offset>& f = finds[i];
        before[i] = 0;
        if (!f.found) continue;
        f.begin = s.offsets[f.vertex];  // asked for beside the lowering, not after it
        f.end = s.offsets[f.vertex + 1];
        before[i] = lower(&s.distance[f.vertex], f.distance);
    }
#pragma unroll
    for (int i = 0; i < Edges; ++i) finds[i].found = finds[i].distance < before[i];
}

constexpr unsigned thin_lanes = 4;  // that share a row of a thin graph

/// Relaxes the edges of a block's pieces, rows of few edges: four lanes a piece, an edge each. keep(finds) is called by
/// whole warps.
template <class Weight, class Offset, class Keep>
__device__ void relax_few(const search<Weight, Offset>& s, tally& t,
                          const entry<typename length<Weight>::key>* pieces, unsigned count, Keep&& keep) {
    using key = typename length<Weight>::key;
    const unsigned within = threadIdx.x % thin_lanes;
    for (unsigned first = threadIdx.x / 32 * (32 / thin_lanes); first < count;
         first += block_threads / thin_lanes) {
        const unsigned i = first + threadIdx.x % 32 / thin_lanes;
        entry<key> e{};
        if (i < count) e = pieces[i];
        auto edges = static_cast<std::uint32_t>(e.piece & 1023);
        // Asked for beside the edges, not before them.
        const key now = edges ? fresh(s.distance[e.vertex]) : 0;
        for (unsigned k = within; __any_sync(full_warp, k < edges); k += thin_lanes) {
            find<key, Offset> f[1];
            typename search<Weight, Offset>::raw_edge edge{};
            if (k < edges) edge = load_once(s.edges + (e.piece >> 10) + k);
            if (now != e.distance) edges = 0;
            if (k == 0 && edges) {
                s.done[e.vertex] = e.distance;
                t.relaxations += edges;
            }
            f[0].found = k < edges;
            f[0].vertex = s.target(edge);
            f[0].distance = length<Weight>::add(e.distance, s.weight(edge));
            lower_all<false>(s, t, f);
            keep(f);
        }
    }
}

/// What a warp's lanes look up of its pieces.
template <class Key>
struct piece_notes {
    std::uint64_t origin[32];  // of a piece's edges, less the edges of the pieces before
    Key distance[32];
};

/// Relaxes the edges of pieces get(first + lane * stride), a piece a lane, then the edges of all of them by all lanes,
/// four each in flight. keep(finds) is called by whole warps.
template <class Weight, class Offset, class Get, class Keep>
__device__ void relax_pieces(const search<Weight, Offset>& s, tally& t,
                             piece_notes<typename length<Weight>::key>& notes, unsigned count, unsigned warp,
                             unsigned warps, Get&& get, Keep&& keep) {
    using key = typename length<Weight>::key;
    const unsigned lane = threadIdx.x % 32;
    // Strided, so that the pieces of a hub, which lie together, go to different warps.
    for (unsigned first = warp; first < count; first += 32 * warps) {
        const unsigned i = first + lane * warps;
        entry<key> e{};
        if (i < count) e = get(i);
        auto edges = static_cast<std::uint32_t>(e.piece & 1023);
        if (edges && fresh(s.distance[e.vertex]) != e.distance) edges = 0;
        if (edges) {
            s.done[e.vertex] = e.distance;
            t.relaxations += edges;
        }
        std::uint32_t sum = edges;
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2) {
            const std::uint32_t below = __shfl_up_sync(full_warp, sum, step);
            if (lane >= step) sum += below;
        }
        const std::uint32_t start = sum - edges, total = __shfl_sync(full_warp, sum, 31);
        const unsigned valid = __ballot_sync(full_warp, edges > 0);
        if (edges) {
            const unsigned at = __popc(valid & ((1u << lane) - 1));
            notes.origin[at] = (e.piece >> 10) - start;
            notes.distance[at] = e.distance;
        }
        __syncwarp();
        unsigned before = 0;  // pieces that begin before the edges looked at
        for (std::uint32_t base = 0; base < total; base += 32 * turn_edges) {
            find<key, Offset> finds[turn_edges];
            typename search<Weight, Offset>::raw_edge edge[turn_edges];
#pragma unroll
            for (int j = 0; j < turn_edges; ++j) {
                const std::uint32_t from = base + 32 * j, at = from + lane;
                const std::uint32_t away = start - from;
                const unsigned starts = __reduce_or_sync(full_warp, edges && away < 32 ? 1u << away : 0);
                const unsigned piece = before + __popc(starts & (~0u >> (31 - lane))) - 1;
                before += __popc(starts);
                finds[j].found = at < total;
                edge[j] = {};
                if (!finds[j].found) continue;
                edge[j] = load_once(s.edges + notes.origin[piece] + at);
                finds[j].distance = notes.distance[piece];
            }
#pragma unroll
            for (int j = 0; j < turn_edges; ++j) {
                finds[j].vertex = s.target(edge[j]);
                finds[j].distance = length<Weight>::add(finds[j].distance, s.weight(edge[j]));
            }
            lower_all<true>(s, t, finds);
            keep(finds);
        }
        __syncwarp();
    }
}

}  // namespace nz::kernels::cuda::paths
