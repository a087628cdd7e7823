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
constexpr int blocks_an_sm = 1;     // 64 registers a thread: nothing spills
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
            const key sum = static_cast<key>(
                __double_as_longlong(__longlong_as_double(static_cast<long long>(a)) +
                                     __longlong_as_double(static_cast<long long>(w))));
            return sum < 0x7ff0000000000000u ? sum : unreached;
        }
    }
    __device__ static key bound(key from, key delta) {
        const key sum = add(from, delta);
        return sum > from ? sum : from + 1;
    }
};

__device__ inline std::uint32_t lower(std::uint32_t* at, std::uint32_t to) { return atomicMin(at, to); }
__device__ inline std::uint64_t lower(std::uint64_t* at, std::uint64_t to) {
    return atomicMin(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(to));
}

/// A piece of a row in a queue, with the distance that its vertex had when it was put there: once the vertex's own is
/// another, the piece is stale.
template <class Key>
struct alignas(sizeof(Key) * 4) entry {
    std::uint64_t piece;  // where it begins in the edges, and, in the low 10 bits, how many there are
    Key distance;
    std::uint32_t vertex;
};

/// Counters rotate over three steps: one read, one written, one cleared.
struct counters {
    unsigned pieces, far;  // pieces in the queue; beyond the bound
    unsigned long long smallest;  // distance beyond the bound
};
struct control {
    unsigned arrived;
    counters of[3];
    // What the thin steps hand back.
    unsigned long long bound;
    unsigned rounds, buckets, finished;
};

template <class Weight>
struct search {
    using key = typename length<Weight>::key;

    std::uint32_t n;
    const void* offsets;
    bool wide;  // offsets
    const void* edges;
    std::uint32_t source;
    key delta;
    key *distance, *done;  // done: the distance that a vertex was last relaxed from
    entry<key>* queue[2];
    std::uint32_t capacity;  // every piece of every row
    std::uint32_t lanes;     // that share a piece
    std::uint32_t thin_pieces;  // near pieces up to which one cluster goes on alone
    control* shared;
    shortest_report* report;

    __device__ void row(std::uint32_t v, std::uint64_t& begin, std::uint32_t& degree) const {
        if (wide) {
            const auto* const at = static_cast<const std::int64_t*>(offsets) + v;
            begin = static_cast<std::uint64_t>(at[0]);
            degree = static_cast<std::uint32_t>(at[1] - at[0]);
        } else {
            const auto* const at = static_cast<const std::uint32_t*>(offsets) + v;
            begin = at[0];
            degree = at[1] - at[0];
        }
    }
    __device__ void edge(std::uint64_t k, std::uint32_t& target, key& weight) const {
        if constexpr (sizeof(key) == 4) {
            const auto both = load_once(static_cast<const unsigned long long*>(edges) + k);
            target = static_cast<std::uint32_t>(both);
            weight = static_cast<key>(both >> 32);
        } else {
            const uint4 both = load_once(static_cast<const uint4*>(edges) + k);
            target = both.x;
            weight = static_cast<key>(both.w) << 32 | both.z;
        }
    }
};

/// Where the search stands; every thread holds the same.
template <class Weight>
struct progress {
    typename length<Weight>::key bound;
    unsigned step = 0, rounds = 0, buckets = 0;
    int side = 0;  // which queue holds the present
};

/// What a thread has done so far.
struct tally {
    unsigned long long relaxations = 0;
    bool dropped = false;
};

/// What a lane found: a vertex that became nearer.
template <class Key>
struct find {
    std::uint32_t vertex = 0, degree = 0;
    std::uint64_t begin = 0;
    Key distance = 0;
    bool found = false;

    __device__ std::uint32_t pieces() const { return (degree + piece_edges - 1) / piece_edges; }
    __device__ entry<Key> at(std::uint32_t k) const {
        return {(begin + std::uint64_t{k} * piece_edges) << 10 | min(piece_edges, degree - k * piece_edges), distance,
                vertex};
    }
};

constexpr std::uint32_t few_pieces = 8;  // rows of more are cut up by the whole warp

/// A warp's lanes put the rows of those of their finds that are `wanted` into a list, in pieces. All lanes take part;
/// slot(total) gives room for `total` pieces, put(at, entry) stores one.
template <int Count, class Key, class Wanted, class Slot, class Put>
__device__ void append(const find<Key> (&finds)[Count], Wanted&& wanted, Slot&& slot, Put&& put) {
    std::uint32_t mine = 0;
#pragma unroll
    for (const auto& f : finds) mine += wanted(f) ? f.pieces() : 0;
    if (!__any_sync(full_warp, mine > 0)) return;
    const unsigned lane = threadIdx.x % 32;
    std::uint32_t sum = mine;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(full_warp, sum, step);
        if (lane >= step) sum += below;
    }
    std::uint32_t base = 0;
    if (lane == 31) base = slot(sum);
    std::uint32_t at = __shfl_sync(full_warp, base, 31) + sum - mine;
#pragma unroll
    for (const auto& f : finds) {
        const std::uint32_t pieces = wanted(f) ? f.pieces() : 0;
        if (pieces <= few_pieces)
            for (std::uint32_t k = 0; k < pieces; ++k) put(at + k, f.at(k));
        for (unsigned many = __ballot_sync(full_warp, pieces > few_pieces); many; many &= many - 1) {
            const int owner = __ffs(many) - 1;
            find<Key> of;
            of.vertex = __shfl_sync(full_warp, f.vertex, owner);
            of.degree = __shfl_sync(full_warp, f.degree, owner);
            of.begin = __shfl_sync(full_warp, f.begin, owner);
            of.distance = __shfl_sync(full_warp, f.distance, owner);
            const std::uint32_t first = __shfl_sync(full_warp, at, owner), all = of.pieces();
            for (std::uint32_t k = lane; k < all; k += 32) put(first + k, of.at(k));
        }
        at += pieces;
    }
}

/// Relaxes the edges of pieces get(0 .. count) by threads first, first + 1...; keep(finds) is called by whole warps.
/// Peek: look at a distance before lowering it; where most edges improve, lowering alone is the shorter chain.
template <int Edges, bool Peek, class Weight, class Get, class Keep>
__device__ void relax(const search<Weight>& s, tally& t, unsigned count, unsigned first, unsigned threads, Get&& get,
                      Keep&& keep) {
    using key = typename length<Weight>::key;
    const unsigned lane = threadIdx.x % 32, within = lane & (s.lanes - 1);
    const unsigned step = threads / s.lanes;
    for (unsigned at = (first - lane) / s.lanes; at < count; at += step) {
        entry<key> e{};
        if (at + lane / s.lanes < count) e = get(at + lane / s.lanes);
        const std::uint64_t begin = e.piece >> 10;
        auto edges = static_cast<std::uint32_t>(e.piece & 1023);
        // Asked for beside the edges, not before them.
        const key now = edges ? fresh(s.distance[e.vertex]) : 0;
        for (unsigned k = within; __any_sync(full_warp, k < edges); k += Edges * s.lanes) {
            find<key> finds[Edges];
            key weight[Edges];
#pragma unroll
            for (int i = 0; i < Edges; ++i) {
                finds[i].found = k + i * s.lanes < edges;
                if (finds[i].found) s.edge(begin + k + i * s.lanes, finds[i].vertex, weight[i]);
            }
            if (now != e.distance) edges = 0;
            if (k == 0 && edges) {
                s.done[e.vertex] = e.distance;
                t.relaxations += edges;
            }
#pragma unroll
            for (int i = 0; i < Edges; ++i) {
                find<key>& f = finds[i];
                f.found &= edges > 0;
                f.distance = f.found ? length<Weight>::add(e.distance, weight[i]) : 0;
                t.dropped |= f.distance == length<Weight>::unreached;
            }
            if constexpr (Peek) {
#pragma unroll
                for (auto& f : finds)
                    if (f.found) f.found = f.distance < fresh(s.distance[f.vertex]);
            }
#pragma unroll
            for (auto& f : finds) {
                if (!f.found) continue;
                s.row(f.vertex, f.begin, f.degree);  // asked for beside the lowering, not after it
                f.found = lower(&s.distance[f.vertex], f.distance) > f.distance;
            }
            keep(finds);
        }
    }
}

}  // namespace nz::kernels::cuda::paths
