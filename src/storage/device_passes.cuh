// What the conversions of this folder share on a GPU: passes of a thread an item, memory from the pool, offsets of either width,
// sums over a block.
#pragma once

#include "core/buffer.hpp"
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "nonzero/types.hpp"

#include <type_traits>

namespace nz::storage::device_passes {

inline constexpr unsigned threads = 256;
inline constexpr unsigned lanes = 32;
inline constexpr unsigned full_warp = ~0u;

inline unsigned blocks_for(offset_t items) { return static_cast<unsigned>((items + threads - 1) / threads); }
inline cudaStream_t stream_of(const context& gpu) { return static_cast<cudaStream_t>(gpu.gpu()->stream()); }
template <class T>
buffer take(const context& gpu, offset_t count) {
    return {gpu.device_memory(), static_cast<std::size_t>(count) * sizeof(T)};
}
__device__ inline offset_t thread_number() {
    return static_cast<offset_t>(blockIdx.x) * static_cast<offset_t>(blockDim.x) + threadIdx.x;
}

/// Calls f(temporary, bytes): CUB's two calls, the first of which says how much memory the second takes.
template <class F>
void with_temporary(const context& gpu, F&& f) {
    std::size_t bytes = 0;
    check(f(nullptr, bytes));
    const buffer temporary(gpu.device_memory(), bytes + 1);
    check(f(temporary.data(), bytes));
}

struct reader {
    const void* data;
    bool wide;
    __device__ offset_t operator[](offset_t i) const {
        return wide ? static_cast<const long long*>(data)[i]
                    : static_cast<offset_t>(static_cast<const int*>(data)[i]);
    }
};

struct offsets_out {
    void* data;
    bool wide;
    __device__ void put(offset_t at, unsigned value) const {
        if (wide)
            static_cast<long long*>(data)[at] = value;
        else
            static_cast<int*>(data)[at] = static_cast<int>(value);
    }
};

/// In place of a value where there is none.
struct no_value {};
template <class Value>
inline constexpr unsigned value_bytes_of = std::is_same_v<Value, no_value> ? 0 : sizeof(Value);

/// Exclusive sums over a block of `Warps` warps; `sums` has room for one each. All threads call it.
template <unsigned Warps, class Sum>
__device__ inline Sum exclusive_sum(Sum mine, Sum* sums, Sum& all) {
    const unsigned lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
    Sum up_to = mine;
    for (unsigned step = 1; step < lanes; step *= 2) {
        const Sum left = __shfl_up_sync(full_warp, up_to, step);
        if (lane >= step) up_to += left;
    }
    if (lane == lanes - 1) sums[warp] = up_to;
    __syncthreads();
    Sum before = 0;
    all = 0;
    if constexpr (Warps == lanes) {
        Sum to_warp = sums[lane];
        for (unsigned step = 1; step < lanes; step *= 2) {
            const Sum left = __shfl_up_sync(full_warp, to_warp, step);
            if (lane >= step) to_warp += left;
        }
        all = __shfl_sync(full_warp, to_warp, lanes - 1);
        const Sum earlier = __shfl_sync(full_warp, to_warp, warp ? warp - 1 : 0);
        before = warp ? earlier : 0;
    } else {
        for (unsigned w = 0; w < Warps; ++w) {
            if (w < warp) before += sums[w];
            all += sums[w];
        }
    }
    __syncthreads();
    return before + up_to - mine;
}

/// Calls f(place, count) for `count` numbers that are `stride` apart, eight loads at a time.
template <class F>
__device__ void for_each_count(unsigned* first, unsigned count, unsigned stride, F f) {
    constexpr unsigned batch = 8;
    unsigned k = 0;
    for (; k + batch <= count; k += batch) {
        unsigned found[batch];
        unsigned* at = first + static_cast<std::size_t>(k) * stride;
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) found[n] = at[static_cast<std::size_t>(n) * stride];
#pragma unroll
        for (unsigned n = 0; n < batch; ++n) f(at[static_cast<std::size_t>(n) * stride], found[n]);
    }
    for (; k < count; ++k) {
        unsigned& at = first[static_cast<std::size_t>(k) * stride];
        f(at, at);
    }
}

}  // namespace nz::storage::device_passes
