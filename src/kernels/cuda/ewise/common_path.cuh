// What the count and the fill of ewise/balanced_path share: how operands are read, and how a tile's slices come to a block.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_ewise_arguments.hpp"
#include "plan/ewise.hpp"

#include <cuda/ptx>

namespace nz::kernels::cuda {

namespace ptx = ::cuda::ptx;

constexpr int path_block = 256;
constexpr int path_warps = path_block / 32;
constexpr int word_entries = plan::ewise_word_entries;
/// Words of a tile that a warp takes.
constexpr int warp_words = plan::ewise_tile_words / path_warps;
static_assert(plan::ewise_tile_words % path_warps == 0);

struct device_side {
    device_offsets offsets;
    const index_t* columns;
    offset_t entries;
    int step;

    device_side(const ewise_side& s, offset_t entry_count)
        : offsets{s.offsets.data, s.offsets.wide},
          columns(s.columns),
          entries(entry_count),
          step(static_cast<int>(s.step)) {}
};

// Slices of arrays come to shared memory by bulk copies, of 16 bytes from addresses that are multiples of them. So the first
// element of a slice stands as many places behind such an address as in its array.

template <class E>
inline constexpr int bulk_elements = 16 / static_cast<int>(sizeof(E));
/// Room for two slices with as many elements in all as a tile has entries.
template <class E>
inline constexpr int slices_room = plan::ewise_tile_entries + 4 * bulk_elements<E>;

/// Where a slice stands in shared memory: `size` elements from place `first` on.
struct tile_slice {
    int first, size;
};

template <class E>
__device__ int lead_of(const E* at) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 16 / sizeof(E));
}
/// The place for a slice of what stands at `from`, behind `earlier` places that are taken.
template <class E>
__device__ tile_slice slice_behind(int earlier, const E* from, int size) {
    return {(earlier + bulk_elements<E> - 1) / bulk_elements<E> * bulk_elements<E> + lead_of(from), size};
}

/// The arrival of a block's slices, for which some of its threads send and all wait.
struct arrival {
    std::uint64_t barrier;

    /// One thread begins, and a barrier of the block follows; so many threads then send, if only to close.
    __device__ void start(unsigned senders) {
        ptx::mbarrier_init(&barrier, senders);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    /// Sends for a slice. Of `from`, `readable` elements may be read; what is left of the last sixteen bytes the thread copies. Nothing is
    /// sent for an empty one: blocks whose tile has no entries end without a wait.
    template <class E>
    __device__ void send_for(E* to, const E* from, tile_slice slice, offset_t readable) {
        if (slice.size == 0) return;
        const int lead = slice.first % bulk_elements<E>;
        const auto most = static_cast<int>(min(readable, offset_t{plan::ewise_tile_entries} * 2));
        const int elements = min((lead + slice.size + bulk_elements<E> - 1) / bulk_elements<E>,
                                 (lead + most) / bulk_elements<E>) *
                             bulk_elements<E>;
        to += slice.first;
        if (const auto bytes = static_cast<std::uint32_t>(elements * sizeof(E))) {
            ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, &barrier, bytes);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to - lead, from - lead, bytes,
                               &barrier);
        }
#pragma unroll 1
        for (int k = max(elements - lead, 0); k < slice.size; ++k) to[k] = from[k];
    }
    /// The thread has sent for all that it had to.
    __device__ void close() {
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier);
    }
    __device__ void wait() {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, &barrier, 0)) {
        }
    }
};

}  // namespace nz::kernels::cuda
