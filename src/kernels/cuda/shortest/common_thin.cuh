// Rounds of few pieces by one cluster, near and far lists in shared memory: a round costs a message between the blocks
// and the chain entry -> edge -> distance beside offsets -> entry, not a barrier of the grid; raising the bound costs a
// look at the far entries' distances.
#pragma once

#include "kernels/cuda/shortest/common_wide.cuh"

namespace nz::kernels::cuda::paths {

constexpr unsigned far_lists = 3;  // a far list is so many times as long as a near one
constexpr unsigned list_bytes = lists_bytes / 2 / (1 + far_lists);

template <class Key>
constexpr unsigned near_slots = list_bytes / sizeof(entry<Key>);
template <class Key>
constexpr unsigned far_slots = far_lists * near_slots<Key>;

/// What a cluster's lists hold when it begins, at most: a part, so that they may grow.
template <class Key>
constexpr unsigned most_far_pieces = cluster_blocks * far_slots<Key> / 2;

/// What a block of the cluster holds, told to all of them.
struct holding {
    unsigned near, far, lost;
    unsigned long long smallest;  // beyond the bound, after a split
};
struct cluster_holding {
    holding sum;
    unsigned before, most;  // near pieces of the blocks before this one, and of the block with most
};
struct thin_shared {
    holding mine[2];  // of this round, of the next
    cluster_holding told;
    cluster_mail::box mail;
};

template <class Weight, class Offset>
class thin_search {
public:
    using key = typename length<Weight>::key;

    __device__ thin_search(const search<Weight, Offset>& s, thin_shared& memory, cluster_mail& mail, tally& t,
                           piece_notes<key>& notes)
        : s_(s), m_(memory), mail_(mail), tally_(t), notes_(notes), rank_(cg::this_cluster().block_rank()) {}

    /// Goes on from `count` pieces in the queue, which are all there is to relax, until nothing is left or the lists do
    /// not hold it; then the distances say what is left.
    __device__ void run(progress<Weight> p, unsigned count) {
        take(p, count);
        holding now = exchange();
        bool finished = false;
        while (!now.lost && now.near <= s_.thin_pieces) {
            if (now.near == 0) {
                finished = now.far == 0;
                if (finished) break;
                p.raise(now.smallest == ~0ull ? p.bound : static_cast<key>(now.smallest), s_.delta);
                split(p);
            } else {
                if (skewed_) spread(now.near);
                relax_near(p);
                ++p.rounds;
            }
            now = exchange();
        }
        wait_for_cluster();
        if (rank_ == 0 && threadIdx.x == 0) {
            control& c = *s_.shared;
            c.bound = p.bound;
            c.delta = p.delta;
            c.rounds = p.rounds;
            c.buckets = p.buckets;
            c.finished = finished;
        }
    }

private:
    /// The lists that finds go to now; the others are at `side ^ 1`.
    __device__ static entry<key>* near_list(unsigned side) {
        return reinterpret_cast<entry<key>*>(lists_memory) + side * near_slots<key>;
    }
    __device__ static entry<key>* far_list(unsigned side) {
        return reinterpret_cast<entry<key>*>(lists_memory) + 2 * near_slots<key> + side * far_slots<key>;
    }
    /// Room for `total` pieces in one of the lists.
    __device__ holding& mine() { return m_.mine[round_]; }
    __device__ void put_near(unsigned at, const entry<key>& e) {
        if (at < near_slots<key>)
            prefetch(e), near_list(near_side_)[at] = e;
        else
            mine().lost = 1;
    }
    __device__ void put_far(unsigned at, const entry<key>& e) {
        if (at < far_slots<key>)
            far_list(far_side_)[at] = e;
        else
            mine().lost = 1;
    }
    /// A warp's entries to the lists that they belong to.
    __device__ void sort_in(const progress<Weight>& p, const entry<key>& e, bool valid) {
        const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
        const bool near = valid && e.distance < p.bound;
        const unsigned nears = __ballot_sync(full_warp, near),
                       fars = __ballot_sync(full_warp, valid && !near);
        if (!(nears | fars)) return;
        unsigned base = 0;  // one lane asks for each list
        if (lane < 2) base = atomicAdd(lane ? &mine().far : &mine().near, __popc(lane ? fars : nears));
        const unsigned near_base = __shfl_sync(full_warp, base, 0),
                       far_base = __shfl_sync(full_warp, base, 1);
        if (near)
            put_near(near_base + __popc(nears & below), e);
        else if (valid)
            put_far(far_base + __popc(fars & below), e);
    }

    __device__ void take(const progress<Weight>& p, unsigned count) {
        if (threadIdx.x == 0) mine() = {0, 0, 0, ~0ull};
        near_side_ = far_side_ = 0;
        __syncthreads();
        const unsigned mine = dealt_share(count, rank_, cluster_blocks);
        for (unsigned first = threadIdx.x / 32 * 32; first < mine; first += block_threads) {
            const unsigned i = first + threadIdx.x % 32;
            entry<key> e{};
            if (i < mine) e = s_.queue[p.side][rank_ + i * cluster_blocks];
            sort_in(p, e, i < mine);
        }
    }

    __device__ void relax_near(const progress<Weight>& p) {
        const entry<key>* const from = near_list(near_side_);
        const unsigned count = held_.near;
        near_side_ ^= 1;
        if (s_.few_edges)
            relax_few(s_, tally_, from, count, [&](const auto& finds) { keep(p, finds); });
        else
            relax_pieces(
                s_, tally_, notes_, count, threadIdx.x / 32, block_threads / 32,
                [&](unsigned i) { return from[i]; }, [&](const auto& finds) { keep(p, finds); });
    }
    template <int Count>
    __device__ void keep(const progress<Weight>& p, const find<key, Offset> (&finds)[Count]) {
        if constexpr (Count == 1)
            if (const find<key, Offset>& f = finds[0];
                !__any_sync(full_warp, f.found && f.degree() > piece_edges))
                return sort_in(p, f.at(0), f.found && f.degree() > 0);
        append(
            finds, [&](const find<key, Offset>& f) { return f.found && f.distance < p.bound; },
            [&](unsigned total) { return take_room(&mine().near, total); },
            [&](unsigned at, const entry<key>& e) { put_near(at, e); });
        append(
            finds, [&](const find<key, Offset>& f) { return f.found && f.distance >= p.bound; },
            [&](unsigned total) { return take_room(&mine().far, total); },
            [&](unsigned at, const entry<key>& e) { put_far(at, e); });
    }
    /// The edges of a near entry are read in the next round.
    __device__ void prefetch(const entry<key>& e) const {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(s_.edges + (e.piece >> 10)));
    }

    /// Far entries that the raised bound takes in become near; stale ones go.
    __device__ void split(const progress<Weight>& p) {
        const entry<key>* const from = far_list(far_side_);
        const unsigned count = held_.far;
        far_side_ ^= 1;
        if (threadIdx.x == 0) mine().far = 0;
        __syncthreads();
        unsigned long long smallest = ~0ull;
        for (unsigned first = threadIdx.x / 32 * 32; first < count; first += block_threads) {
            const unsigned i = first + threadIdx.x % 32;
            entry<key> e{};
            if (i < count) e = from[i];
            const bool valid = i < count && fresh(s_.distance[e.vertex]) == e.distance;
            if (valid && e.distance >= p.bound)
                smallest = min(smallest, static_cast<unsigned long long>(e.distance));
            sort_in(p, e, valid);
        }
        if (smallest != ~0ull) atomicMin(&mine().smallest, smallest);
    }

    /// Deals the near pieces out anew, from list to list, when a block has many more than the others.
    __device__ void spread(unsigned total) {
        for (unsigned i = threadIdx.x; i < held_.near; i += block_threads)
            deal_out(near_list(near_side_)[i], near_list(near_side_ ^ 1), before_ + i, cluster_blocks);
        wait_for_cluster();
        near_side_ ^= 1;
        held_.near = dealt_share(total, rank_, cluster_blocks);
    }
    /// Every block tells the others what it holds; the sum is the same in all. The next round's near list begins empty.
    __device__ holding exchange() {
        __syncthreads();
        held_ = mine();
        round_ ^= 1;
        // The others see this once the letters are here: thread 0 arrives at the mail's barrier after it.
        if (threadIdx.x == 0) mine() = {0, held_.far, held_.lost, ~0ull};
        mail_.exchange({held_.near, held_.far << 1 | held_.lost, static_cast<unsigned>(held_.smallest),
                        static_cast<unsigned>(held_.smallest >> 32)},
                       [&](uint4 of) {
                           const unsigned lane = threadIdx.x;
                           unsigned long long least = lane < cluster_blocks
                                                          ? static_cast<unsigned long long>(of.w) << 32 | of.z
                                                          : ~0ull;
#pragma unroll
                           for (int step = 16; step; step /= 2)
                               least = min(least, __shfl_xor_sync(full_warp, least, step));
                           const cluster_holding told{
                               {__reduce_add_sync(full_warp, of.x), __reduce_add_sync(full_warp, of.y >> 1),
                                __reduce_or_sync(full_warp, of.y & 1), least},
                               __reduce_add_sync(full_warp, lane < rank_ ? of.x : 0),
                               __reduce_max_sync(full_warp, of.x)};
                           if (lane == 0) m_.told = told;
                       });
        __syncthreads();
        const cluster_holding told = m_.told;
        before_ = told.before;
        skewed_ = told.most * cluster_blocks > 2 * told.sum.near && told.most > s_.turn_pieces;
        return told.sum;
    }

    const search<Weight, Offset>& s_;
    thin_shared& m_;
    cluster_mail& mail_;
    tally& tally_;
    piece_notes<key>& notes_;
    const unsigned rank_;
    unsigned near_side_ = 0, far_side_ = 0;  // which lists finds go to
    holding held_{};                         // in this block's lists
    int round_ = 0;                          // which of the block's counts is this round's
    unsigned before_ = 0;                    // near pieces of the blocks before this one
    bool skewed_ = false;
};

}  // namespace nz::kernels::cuda::paths
