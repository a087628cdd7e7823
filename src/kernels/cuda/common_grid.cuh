// A grid whose blocks are all resident: its barrier, and warp helpers.
#pragma once

#include <cooperative_groups.h>
#include <cuda/atomic>

#include <cstdint>

namespace nz::kernels::cuda {

inline constexpr unsigned full_warp = ~0u;

template <class T>
using device_atomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;

/// A value that other blocks have written since this block last looked: read past the first-level cache.
template <class T>
__device__ T fresh(const T& x) {
    return device_atomic<T>(const_cast<T&>(x)).load(::cuda::memory_order_relaxed);
}

/// Adds to a word in memory when all that the thread has seen, its block's before a barrier too, is seen by all. (By an atomic reference to an
/// address of any kind the answer is waited for, which says of which it was.)
__device__ inline void add_released(unsigned* to, unsigned x) {
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(x) : "memory");
}
__device__ inline void add_released(unsigned long long* to, unsigned long long x) {
    asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(to), "l"(x) : "memory");
}

/// All blocks wait for each other. `target` starts at 0 in every thread, *arrived at 0. One thread of a block waits until what its
/// block wrote is seen by all; a barrier of clusters before has every warp wait for that: 2.0 for 1.2 us where four warps a
/// block have stores under way, 1.6 for 0.9 where none has (H200).
__device__ inline void wait_for_grid(unsigned* arrived, unsigned& target) {
    __syncthreads();
    target += gridDim.x;
    if (threadIdx.x == 0) {
        add_released(arrived, 1);
        device_atomic<unsigned> count(*arrived);
        while (static_cast<int>(count.load(::cuda::memory_order_acquire) - target) < 0) {
        }
    }
    __syncthreads();
}

/// What a grid counts together in a level is 16 bytes, aligned; their last word has room for the blocks that are through, from bit 48 on.
inline constexpr int arrived_bit = 48;

/// All blocks wait for each other, and each thread has what they counted, which one thread of a block reads with the last look at who is
/// through: a trip to memory less than a barrier and a read behind it. (That read overlaps the words added to in part. An aligned access of
/// 16 bytes is one access on these machines; PTX orders by it only accesses that overlap wholly.)
template <class Counts>
__device__ Counts wait_for_counts(Counts* counts) {
    static_assert(sizeof(Counts) == 16 && alignof(Counts) == 16);
    __shared__ Counts told;
    __syncthreads();
    if (threadIdx.x == 0) {
        add_released(reinterpret_cast<unsigned long long*>(counts) + 1, 1ull << arrived_bit);
        unsigned long long x[2];
        do {
            asm volatile("{.reg .b128 both; ld.acquire.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both;}"
                         : "=l"(x[0]), "=l"(x[1])
                         : "l"(counts)
                         : "memory");
        } while (x[1] >> arrived_bit < gridDim.x);
        x[1] &= (1ull << arrived_bit) - 1;
        memcpy(&told, x, sizeof told);
    }
    __syncthreads();
    return told;  // the next writes come after the next barrier
}

/// The blocks of a cluster wait for each other, in the same way.
__device__ inline void wait_for_cluster() {
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// Of `all` that are dealt out to the blocks of a cluster one by one, how many come to one of them.
__device__ inline unsigned dealt_share(unsigned all, unsigned rank, unsigned blocks) {
    return all > rank ? (all - rank + blocks - 1) / blocks : 0;
}
/// Entry number `place` of all, to the queue in shared memory, which lies there alike in every block, of the block whose turn it is.
template <class T>
__device__ void deal_out(const T& entry, T* queue, unsigned place, unsigned blocks) {
    *cooperative_groups::this_cluster().map_shared_rank(queue + place / blocks, place % blocks) = entry;
}

/// Loads of what is read once, which leave the first-level cache to what is read again.
template <class T>
__device__ T load_once(const T* at) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    if constexpr (sizeof(T) == 4) {
        unsigned x;
        asm volatile("ld.global.nc.L1::no_allocate.b32 %0, [%1];" : "=r"(x) : "l"(at));
        return static_cast<T>(x);
    } else {
        unsigned long long x;
        asm volatile("ld.global.nc.L1::no_allocate.b64 %0, [%1];" : "=l"(x) : "l"(at));
        return static_cast<T>(x);
    }
}
__device__ inline uint2 load_once(const uint2* at) {
    uint2 x;
    asm volatile("ld.global.nc.L1::no_allocate.v2.b32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "l"(at));
    return x;
}
__device__ inline uint4 load_once(const uint4* at) {
    uint4 x;
    asm volatile("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "l"(at));
    return x;
}

/// Copies 4 or 8 bytes to shared memory while the thread goes on, until finish_copies.
__device__ inline void start_copy(std::uint32_t* to, const std::uint32_t* from) {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
}
__device__ inline void start_copy(std::uint64_t* to, const std::uint64_t* from) {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(from) : "memory");
}
__device__ inline void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// A message of 16 bytes from every block of a cluster to every block, without a barrier that waits for each thread's
/// earlier stores: the words land in shared memory and count themselves in at the receiver.
class cluster_mail {
public:
    static constexpr int most_blocks = 16;
    struct box {
        uint4 letters[2][most_blocks];
        unsigned long long arrived[2];  // mbarriers, one a side
    };

    __device__ explicit cluster_mail(box& memory) : memory_(memory) {
        const auto cluster = cooperative_groups::this_cluster();
        rank_ = cluster.block_rank();
        blocks_ = cluster.num_blocks();
        if (threadIdx.x == 0)
            for (auto& barrier : memory_.arrived)
                asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barrier)) : "memory");
        cluster.sync();
    }
    /// All threads of the block, in turns with collect: sends `mine` to all. `lane`: of the warp that sends, under 32 there alone.
    __device__ void post(uint4 mine, unsigned lane = threadIdx.x) {
        if (lane < 32) send(mine, lane);
    }
    /// Acquire: what other blocks wrote to memory before they posted is seen too, for which the first-level cache forgets all.
    /// That warp waits for the letters and calls combine(letter of the block with the lane's number, zero beyond). The others
    /// go on at once: what combine writes to shared memory is theirs after the caller's barrier. (All 32 warps waiting and
    /// reading took 0.6 us longer.)
    template <bool Acquire = true, class Combine>
    __device__ void collect(Combine&& combine, unsigned lane = threadIdx.x) {
        if (lane < 32) {
            wait<Acquire>();
            combine(lane < blocks_ ? memory_.letters[side_][lane] : uint4{});
        }
        parity_ ^= 1u << side_;
        side_ ^= 1;
    }
    template <class Combine>
    __device__ void exchange(uint4 mine, Combine&& combine) {
        post(mine);
        collect(combine);
    }

private:
    template <class T>
    __device__ static unsigned shared(T* at) {
        return static_cast<unsigned>(__cvta_generic_to_shared(at));
    }
    template <class T>
    __device__ static unsigned remote(T* at, unsigned block) {
        unsigned address;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(shared(at)), "r"(block));
        return address;
    }

    __device__ void send(uint4 mine, unsigned lane) {
        if (lane == 0)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                             shared(&memory_.arrived[side_])),
                         "r"(blocks_ * 16u)
                         : "memory");
        if (lane >= blocks_) return;
        const unsigned letter = remote(&memory_.letters[side_][rank_], lane);
        const unsigned barrier = remote(&memory_.arrived[side_], lane);
        asm volatile(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::
                "r"(letter),
            "r"(mine.x), "r"(mine.y), "r"(mine.z), "r"(mine.w), "r"(barrier)
            : "memory");
    }
    template <bool Acquire>
    __device__ void wait() {
        const unsigned barrier = shared(&memory_.arrived[side_]), parity = parity_ >> side_ & 1u;
        unsigned done = 0;
        while (!done)
            if constexpr (Acquire)
                asm volatile(
                    "{.reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                    : "=r"(done)
                    : "r"(barrier), "r"(parity)
                    : "memory");
            else
                asm volatile(
                    "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                    : "=r"(done)
                    : "r"(barrier), "r"(parity)
                    : "memory");
        __syncwarp();
    }

    box& memory_;
    unsigned rank_ = 0, blocks_ = 0, parity_ = 0;
    int side_ = 0;
};

}  // namespace nz::kernels::cuda
