// What the conversions of this folder share on a GPU: passes of a thread an item, memory from the pool, offsets of either width.
#pragma once

#include "core/buffer.hpp"
#include "core/cuda_check.hpp"
#include "core/device.hpp"
#include "nonzero/types.hpp"

namespace nz::storage::device_passes {

inline constexpr unsigned threads = 256;
inline constexpr unsigned lanes = 32;

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

}  // namespace nz::storage::device_passes
