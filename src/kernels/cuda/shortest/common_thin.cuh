// Rounds of few pieces by one cluster, near and far lists in shared memory: a round costs a message between the blocks
// and the chain entry -> edge -> distance beside offsets -> entry, not a barrier of the grid; raising the bound costs a
// look at the far entries' distances.
#pragma once

#include "kernels/cuda/shortest/common_wide.cuh"

namespace nz::kernels::cuda::paths {

constexpr unsigned list_bytes = 16 * 1024;  // of a near list
constexpr unsigned far_lists = 3;           // a far list is so many times as long

template <class Key>
constexpr unsigned near_slots = list_bytes / sizeof(entry<Key>);
template <class Key>
constexpr unsigned far_slots = far_lists * near_slots<Key>;
constexpr unsigned thin_shared_bytes = 2 * (1 + far_lists) * list_bytes;

/// What a cluster's lists hold when it begins, at most: a part, so that they may grow.
template <class Key>
constexpr unsigned most_far_pieces = cluster_blocks * far_slots<Key> / 2;

extern __shared__ uint4 thin_memory[];

/// What a block of the cluster holds, told to all of them.
struct holding {
    unsigned near, far, lost;
    unsigned long long smallest;  // beyond the bound, after a split
};
struct thin_shared {
    holding mine;
    cluster_mail::box mail;
};

template <class Weight>
class thin_search {
public:
    using key = typename length<Weight>::key;

    __device__ thin_search(const search<Weight>& s, thin_shared& memory, cluster_mail& mail, tally& t)
        : s_(s), m_(memory), cluster_(cg::this_cluster()), mail_(mail), tally_(t), rank_(cluster_.block_rank()) {}

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
                p.bound = length<Weight>::bound(
                    now.smallest == ~0ull ? p.bound : static_cast<key>(now.smallest), s_.delta);
                ++p.buckets;
                split(p);
            } else {
                if (skewed_) spread(now.near);
                relax_near(p);
                ++p.rounds;
            }
            now = exchange();
        }
        cluster_.sync();
        if (rank_ == 0 && threadIdx.x == 0) {
            control& c = *s_.shared;
            c.bound = p.bound;
            c.rounds = p.rounds;
            c.buckets = p.buckets;
            c.finished = finished;
        }
    }

private:
    /// The lists that finds go to now; the others are at `side ^ 1`.
    __device__ static entry<key>* near_list(unsigned side) {
        return reinterpret_cast<entry<key>*>(thin_memory) + side * near_slots<key>;
    }
    __device__ static entry<key>* far_list(unsigned side) {
        return reinterpret_cast<entry<key>*>(thin_memory) + 2 * near_slots<key> + side * far_slots<key>;
    }
    /// Room for `total` pieces in one of the lists.
    __device__ unsigned near_slot(unsigned total) { return atomicAdd(&m_.mine.near, total); }
    __device__ unsigned far_slot(unsigned total) { return atomicAdd(&m_.mine.far, total); }
    __device__ void put_near(unsigned at, const entry<key>& e) {
        if (at < near_slots<key>)
            near_list(near_side_)[at] = e;
        else
            m_.mine.lost = 1;
    }
    __device__ void put_far(unsigned at, const entry<key>& e) {
        if (at < far_slots<key>)
            far_list(far_side_)[at] = e;
        else
            m_.mine.lost = 1;
    }
    /// A warp's entries to the lists that they belong to.
    __device__ void sort_in(const progress<Weight>& p, const entry<key>& e, bool valid) {
        const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
        const bool near = valid && e.distance < p.bound;
        const unsigned nears = __ballot_sync(full_warp, near), fars = __ballot_sync(full_warp, valid && !near);
        unsigned near_base = 0, far_base = 0;
        if (lane == 0 && nears) near_base = near_slot(__popc(nears));
        if (lane == 0 && fars) far_base = far_slot(__popc(fars));
        near_base = __shfl_sync(full_warp, near_base, 0);
        far_base = __shfl_sync(full_warp, far_base, 0);
        if (near)
            put_near(near_base + __popc(nears & below), e);
        else if (valid)
            put_far(far_base + __popc(fars & below), e);
    }

    __device__ void take(const progress<Weight>& p, unsigned count) {
        if (threadIdx.x == 0) m_.mine = {0, 0, 0, ~0ull};
        near_side_ = far_side_ = 0;
        __syncthreads();
        const unsigned mine = count > rank_ ? (count - rank_ + cluster_blocks - 1) / cluster_blocks : 0;
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
        if (s_.lanes == 4)
            relax_list<1, false>(p, from, count);
        else
            relax_list<turn_edges, true>(p, from, count);
    }
    template <int Edges, bool Peek>
    __device__ void relax_list(const progress<Weight>& p, const entry<key>* from, unsigned count) {
        relax<Edges, Peek>(
            s_, tally_, count, threadIdx.x, block_threads, [&](unsigned i) { return from[i]; },
            [&](const find<key>(&finds)[Edges]) {
                append(
                    finds, [&](const find<key>& f) { return f.found && f.distance < p.bound; },
                    [&](unsigned total) { return near_slot(total); },
                    [&](unsigned at, const entry<key>& e) {
                        prefetch(e.piece >> 10);
                        put_near(at, e);
                    });
                append(
                    finds, [&](const find<key>& f) { return f.found && f.distance >= p.bound; },
                    [&](unsigned total) { return far_slot(total); },
                    [&](unsigned at, const entry<key>& e) { put_far(at, e); });
            });
    }
    __device__ void prefetch(std::uint64_t edge) const {
        asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(s_.edges) + edge * 2 * sizeof(key)));
    }

    /// Far entries that the raised bound takes in become near; stale ones go.
    __device__ void split(const progress<Weight>& p) {
        const entry<key>* const from = far_list(far_side_);
        const unsigned count = held_.far;
        far_side_ ^= 1;
        if (threadIdx.x == 0) m_.mine.far = 0;
        __syncthreads();
        unsigned long long smallest = ~0ull;
        for (unsigned first = threadIdx.x / 32 * 32; first < count; first += block_threads) {
            const unsigned i = first + threadIdx.x % 32;
            entry<key> e{};
            if (i < count) e = from[i];
            const bool valid = i < count && fresh(s_.distance[e.vertex]) == e.distance;
            if (valid && e.distance >= p.bound)
                smallest = min(smallest, static_cast<unsigned long long>(e.distance));
            if (valid && e.distance < p.bound) prefetch(e.piece >> 10);
            sort_in(p, e, valid);
        }
        if (smallest != ~0ull) atomicMin(&m_.mine.smallest, smallest);
    }

    /// Deals the near pieces out anew, through memory, when a block has many more than the others.
    __device__ void spread(unsigned total) {
        entry<key>* const all = s_.queue[0];
        for (unsigned i = threadIdx.x; i < held_.near; i += block_threads) all[before_ + i] = near_list(near_side_)[i];
        __threadfence();
        cluster_.sync();
        held_.near = total > rank_ ? (total - rank_ + cluster_blocks - 1) / cluster_blocks : 0;
        for (unsigned i = threadIdx.x; i < held_.near; i += block_threads)
            near_list(near_side_)[i] = load_shared(all + rank_ + i * cluster_blocks);
        cluster_.sync();
    }
    /// An entry that another block has just written, past the first-level cache.
    __device__ static entry<key> load_shared(const entry<key>* at) {
        entry<key> e;
        uint4 words[sizeof e / sizeof(uint4)];
#pragma unroll
        for (unsigned i = 0; i < sizeof e / sizeof(uint4); ++i)
            words[i] = __ldcg(reinterpret_cast<const uint4*>(at) + i);
        memcpy(&e, words, sizeof e);
        return e;
    }

    /// Every block tells the others what it holds; the sum is the same in all. The next round's near list begins empty.
    __device__ holding exchange() {
        __syncthreads();
        held_ = m_.mine;
        const uint4* const letters =
            mail_.exchange({held_.near, held_.far << 1 | held_.lost, static_cast<unsigned>(held_.smallest),
                            static_cast<unsigned>(held_.smallest >> 32)});
        holding sum{0, 0, 0, ~0ull};
        unsigned most = 0;
        before_ = 0;
        for (unsigned b = 0; b < cluster_blocks; ++b) {
            const uint4 of = letters[b];
            before_ += b < rank_ ? of.x : 0;
            most = max(most, of.x);
            sum.near += of.x;
            sum.far += of.y >> 1;
            sum.lost |= of.y & 1;
            sum.smallest = min(sum.smallest, static_cast<unsigned long long>(of.w) << 32 | of.z);
        }
        skewed_ = most * cluster_blocks > 2 * sum.near && most * s_.lanes > block_threads;
        __syncthreads();  // all have read `mine`
        if (threadIdx.x == 0) m_.mine.near = 0, m_.mine.smallest = ~0ull;
        __syncthreads();
        return sum;
    }

    const search<Weight>& s_;
    thin_shared& m_;
    const cg::cluster_group cluster_;
    cluster_mail& mail_;
    tally& tally_;
    const unsigned rank_;
    unsigned near_side_ = 0, far_side_ = 0;  // which lists finds go to
    holding held_{};                    // in this block's lists
    unsigned before_ = 0;               // near pieces of the blocks before this one
    bool skewed_ = false;
};

}  // namespace nz::kernels::cuda::paths
