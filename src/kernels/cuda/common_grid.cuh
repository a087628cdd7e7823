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

/// All blocks wait for each other, clusters first, so that one block of each goes to the counter in L2.
/// `target` starts at 0 in every thread, *arrived at 0.
__device__ inline void wait_for_grid(unsigned* arrived, unsigned& target, unsigned clusters) {
    const auto cluster = cooperative_groups::this_cluster();
    cluster.sync();
    target += clusters;
    if (cluster.block_rank() == 0 && threadIdx.x == 0) {
        device_atomic<unsigned> count(*arrived);
        count.fetch_add(1, ::cuda::memory_order_acq_rel);
        while (static_cast<int>(count.load(::cuda::memory_order_acquire) - target) < 0) {
        }
    }
    cluster.sync();
}

}  // namespace nz::kernels::cuda
