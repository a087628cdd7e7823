// The steps of mxm/masked_dot that are the same for all semirings: where rows start, and the result from what stands at the mask's
// entries. The essay is in masked_dot.cuh.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/mxm/common_count.hpp"
#include "storage/csr.hpp"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256, warps_a_block = block / 32;

// A warp moves a row's entries together, 32 places at a time.
template <class U>
__global__ void __launch_bounds__(block) compact_kernel(device_mxm_arguments k) {
    const offset_t i = offset_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
    if (i >= k.rows) return;
    const unsigned lane = threadIdx.x % 32;
    const device_offsets mask{k.mask_offsets.data, k.mask_offsets.wide};
    offset_t place = k.dot_starts[i];
    if (lane == 0) {
        const auto put = [&](offset_t at, offset_t value) {
            if (k.wide)
                static_cast<std::int64_t*>(k.offsets)[at] = value;
            else
                static_cast<std::int32_t*>(k.offsets)[at] = static_cast<std::int32_t>(value);
        };
        put(i, place);
        if (i == k.rows - 1) put(k.rows, k.dot_starts[k.rows]);
    }
    const offset_t end = mask[i + 1];
    for (offset_t base = mask[i]; base < end; base += 32) {
        const offset_t m = base + lane;
        const bool met = m < end && k.dot_met[m];
        const unsigned taken = __ballot_sync(full_warp, met);
        if (met) {
            const offset_t at = place + __popc(taken & ((1u << lane) - 1));
            k.out_columns[at] = k.mask_columns[m];
            static_cast<U*>(k.out_values)[at] = static_cast<const U*>(k.dot_values)[m];
        }
        place += __popc(taken);
    }
}

// *steps = entries of B's columns, over all places of the mask.
__global__ void __launch_bounds__(block) steps_kernel(device_mxm_arguments k, unsigned long long* steps) {
    const device_offsets offsets{k.b.offsets.data, k.b.offsets.wide};
    unsigned long long mine = 0;
    for (offset_t m = offset_t{blockIdx.x} * block + threadIdx.x; m < k.mask_entries;
         m += offset_t{gridDim.x} * block) {
        const index_t j = k.mask_columns[m];
        mine += static_cast<unsigned long long>(offsets[j + offset_t{1}] - offsets[j]);
    }
    __shared__ unsigned long long sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, mine);
    __syncthreads();
    if (threadIdx.x == 0 && sum) atomicAdd(steps, sum);
}

}  // namespace

void dot_steps(const device_mxm_arguments& k, offset_t* steps, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    constexpr unsigned blocks = 1056;
    check(cudaMemsetAsync(steps, 0, sizeof *steps, on));
    steps_kernel<<<blocks, block, 0, on>>>(k, reinterpret_cast<unsigned long long*>(steps));
    check(cudaGetLastError());
}

std::size_t dot_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, as_offsets(nullptr), static_cast<offset_t*>(nullptr),
                                        rows));
    return bytes;
}

void dot_starts(const device_mxm_arguments& k, std::size_t scan_bytes, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.dot_starts, 0, sizeof *k.dot_starts, on));
    check(cub::DeviceScan::InclusiveSum(k.tables, scan_bytes, as_offsets(k.dot_lengths), k.dot_starts + 1,
                                        k.rows, on));
}

void dot_compact(const device_mxm_arguments& k, std::size_t value_bytes, void* stream) {
    if (k.rows == 0) {
        check(cudaMemsetAsync(k.offsets, 0, k.wide ? 8 : 4, static_cast<cudaStream_t>(stream)));
        return;
    }
    const unsigned blocks = (static_cast<unsigned>(k.rows) + warps_a_block - 1) / warps_a_block;
    storage::by_width(value_bytes, [&]<class U>(std::type_identity<U>) {
        compact_kernel<U><<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(k);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
