// What the steps of transposes and of builds from coordinates on a GPU share: a block ranks a tile's entries by digit, stably, in shared
// memory.
//
// Who owns what: a warp takes consecutive entries, 32 at a time. A lane's rank among the warp's entries of its digit is a counter of
//   the warp's and the number of earlier lanes with this digit, found by ballots over the digit's bits, for four times 32 entries at
//   once: one vote where each 32 have the same. A thread sums up two neighbouring digits' counters over the warps, and a scan
//   over the block gives each (warp, digit) its place.
// Shared memory: counters of 16 bits, [warp][digit].
// Sync: the callers' barriers, those of the scan, and a warp's lanes between reading and raising its counters.
// Determinism: ranks follow the order of entries.
#pragma once

#include "storage/device_passes.cuh"

#include <cuda_pipeline_primitives.h>

namespace nz::storage::device_steps {

using device_passes::exclusive_sum, device_passes::full_warp, device_passes::lanes, device_passes::no_value,
    device_passes::value_bytes_of;

template <unsigned Threads, unsigned Items, unsigned Digits>
struct tile_shape {
    static constexpr unsigned threads = Threads, items = Items, digits = Digits, tile = Threads * Items,
                              warps = Threads / lanes, counter_bytes = warps * Digits * 2;
};
inline constexpr unsigned together = 4;  // items whose votes are taken together

/// Of each of a lane's entries: the lanes, among those in `active`, with its digit of `bits` bits, below Digits.
template <unsigned Digits, bool Full>
__device__ inline void find_peers(const unsigned (&digit)[together], const unsigned (&active)[together],
                                  int bits, unsigned (&peers)[together]) {
    bool same = true;
#pragma unroll
    for (unsigned n = 0; n < together; ++n) {
        const bool mine = Full || (active[n] >> threadIdx.x % lanes & 1);
        same = (digit[n] == __shfl_sync(full_warp, digit[n], 0) || !mine) && same;
        peers[n] = active[n];
    }
    if (__all_sync(full_warp, same)) return;
#pragma unroll
    for (int bit = 0; 1u << bit < Digits; ++bit) {
        if (bit >= 5 && bit >= bits) break;
#pragma unroll
        for (unsigned n = 0; n < together; ++n) {
            const bool set = digit[n] >> bit & 1;
            const unsigned with = __ballot_sync(full_warp, set);
            peers[n] &= set ? with : ~with;
        }
    }
}

/// A tile of `size` entries, all of Shape's where it is Full: of each is known a number, from which its digit follows.
template <class Shape, bool Full>
class tile_ranker {
    static_assert(Shape::items % together == 0);

public:
    static constexpr unsigned digits = Shape::digits;
    __device__ tile_ranker(char* counters, unsigned size)
        : counters_(reinterpret_cast<std::uint16_t*>(counters)),
          size_(size),
          used_(Full ? Shape::items : (size + Shape::threads - 1) / Shape::threads),
          first_(threadIdx.x / lanes * used_ * lanes + threadIdx.x % lanes) {}

    /// Whether a lane has so many items: warps share the tile evenly.
    __device__ bool uses(unsigned item) const { return Full || item < used_; }
    /// This lane's item of the tile.
    __device__ unsigned entry(unsigned item) const { return first_ + item * lanes; }
    __device__ bool holds(unsigned item) const { return Full || (item < used_ && entry(item) < size_); }

    /// Before ranks are taken, a barrier between.
    __device__ void clear() const {
        auto* words = reinterpret_cast<uint4*>(counters_);
        for (unsigned k = threadIdx.x; k < Shape::counter_bytes / 16; k += Shape::threads) words[k] = {};
    }
    /// Gives digit << 16 | rank in the warp.
    template <class Digit>
    __device__ void rank(const unsigned (&numbers)[Shape::items], unsigned (&ranked)[Shape::items], int bits,
                         Digit digit_of) const {
        std::uint16_t* counters = counters_ + threadIdx.x / lanes * Shape::digits;
#pragma unroll
        for (unsigned item = 0; item < Shape::items; item += together) {
            if (!uses(item)) break;
            unsigned digit[together], active[together], peers[together];
#pragma unroll
            for (unsigned n = 0; n < together; ++n) {
                digit[n] = digit_of(numbers[item + n]);
                active[n] = Full ? full_warp : __ballot_sync(full_warp, holds(item + n));
            }
            find_peers<Shape::digits, Full>(digit, active, bits, peers);
#pragma unroll
            for (unsigned n = 0; n < together; ++n) {
                const bool mine = holds(item + n);
                const unsigned earlier = __popc(peers[n] & ((1u << threadIdx.x % lanes) - 1));
                std::uint16_t* counter = counters + digit[n];
                const unsigned before = mine ? *counter : 0;
                __syncwarp();
                if (mine && earlier == 0) *counter = static_cast<std::uint16_t>(before + __popc(peers[n]));
                __syncwarp();
                ranked[item + n] = digit[n] << 16 | (before + earlier);
            }
        }
    }
    /// Counters become places in the tile; begin(digit, place) is called for each digit by one thread. Barriers before and after are
    /// the caller's; `sums` has room for a word a warp.
    template <class Begin>
    __device__ void place_counters(unsigned* sums, Begin begin) const {
        constexpr unsigned pairs = Shape::digits / 2, each = (pairs + Shape::threads - 1) / Shape::threads;
        auto* words = reinterpret_cast<unsigned*>(counters_);
        unsigned total[each], sum = 0, all;
#pragma unroll
        for (unsigned v = 0; v < each; ++v) {
            const unsigned pair = threadIdx.x * each + v;
            total[v] = 0;
            if (pair < pairs)
#pragma unroll
                for (unsigned w = 0; w < Shape::warps; ++w) total[v] += words[w * pairs + pair];
            sum += (total[v] & 0xffff) + (total[v] >> 16);
        }
        unsigned start = exclusive_sum<Shape::warps>(sum, sums, all);
#pragma unroll
        for (unsigned v = 0; v < each; ++v) {
            const unsigned pair = threadIdx.x * each + v;
            if (pair >= pairs) break;
            const unsigned second = start + (total[v] & 0xffff);
            begin(2 * pair, start), begin(2 * pair + 1, second);
            unsigned at = start | second << 16;
#pragma unroll
            for (unsigned w = 0; w < Shape::warps; ++w) {
                const unsigned count = words[w * pairs + pair];
                words[w * pairs + pair] = at;
                at += count;
            }
            start = second + (total[v] >> 16);
        }
    }
    __device__ unsigned place_of(unsigned ranked) const {
        return (ranked & 0xffff) + counters_[threadIdx.x / lanes * Shape::digits + (ranked >> 16)];
    }

private:
    std::uint16_t* counters_;
    unsigned size_, used_, first_;
};

/// To shared memory; arrives with the pipeline's commit and wait.
template <class T>
__device__ inline void fetch(T* to, const T* from) {
    if constexpr (value_bytes_of<T> >= 4)
        __pipeline_memcpy_async(to, from, sizeof(T));
    else if constexpr (value_bytes_of<T> > 0)
        *to = *from;
}
__device__ inline void wait_for_fetched() {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}
/// To the L2, a line each.
template <class T>
__device__ inline void fetch_early(const T* from, unsigned size) {
    if constexpr (value_bytes_of<T> > 0) {
        constexpr unsigned line = 128 / sizeof(T);
        for (unsigned e = threadIdx.x * line; e < size; e += blockDim.x * line)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(from + e));
    }
}
/// Adds the digits of a warp's entries to counts in shared memory: at once where all are the same.
__device__ inline void add_digit(unsigned* counts, unsigned digit, bool mine) {
    const unsigned among = __ballot_sync(full_warp, mine);
    if (!among) return;
    const unsigned first = __shfl_sync(full_warp, digit, __ffs(static_cast<int>(among)) - 1);
    if (__all_sync(full_warp, !mine || digit == first)) {
        if (threadIdx.x % lanes == 0) atomicAdd(counts + first, static_cast<unsigned>(__popc(among)));
    } else if (mine) {
        atomicAdd(counts + digit, 1u);
    }
}
/// How many of `size` numbers have each digit, in shared memory, which is 0 before. seen(number, whether this lane has one) is called by
/// whole warps. All of Threads call it; no barrier.
template <unsigned Threads, class Number, class Digit, class Seen>
__device__ inline void count_digits(const Number* numbers, unsigned size, unsigned* counts, Digit digit_of,
                                    Seen seen) {
    constexpr unsigned batch = 8;  // loads under way
    for (unsigned base = 0; base < size; base += batch * Threads) {
        unsigned found[batch];
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) {
            const unsigned e = base + n * Threads + threadIdx.x;
            found[n] = e < size ? static_cast<unsigned>(numbers[e]) : 0;
        }
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) {
            const bool mine = base + n * Threads + threadIdx.x < size;
            seen(found[n], mine);
            add_digit(counts, digit_of(found[n]), mine);
        }
    }
}
template <unsigned Threads, class Number, class Digit>
__device__ inline void count_digits(const Number* numbers, unsigned size, unsigned* counts, Digit digit_of) {
    count_digits<Threads>(numbers, size, counts, digit_of, [](unsigned, bool) {});
}

}  // namespace nz::storage::device_steps
