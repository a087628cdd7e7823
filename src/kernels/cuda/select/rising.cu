// select/rising on a GPU: the places (i, j) of a square matrix whose row j is longer than row i, or as long with j > i.
//
// Who owns what: a warp has a row, four times 32 entries under way at a time. Count leaves lengths, a scan makes offsets of them,
//   fill writes columns in order, each warp by its own ballots.
// Memory: an entry and the two offsets of its column, twice; offsets are read at random, from L2 where they fit there.
//   Workspace: 12 bytes a row and the scan's. Sync: launches. Determinism: nothing is summed.
// Why rows, on the host, was not enough: the matrix would go there and back, and its function is called entry by entry.
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/select/rising.cuh"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned block = 256, warps_a_block = block / 32;
constexpr int batch = 4;

// Calls row(i, begin, end, own length) for this warp's row.
template <class Row>
__device__ void for_row(const rising_arguments& k, Row&& row) {
    const offset_t i = offset_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
    if (i >= k.rows) return;
    const device_offsets offsets{k.offsets.data, k.offsets.wide};
    const offset_t begin = offsets[i], end = offsets[i + 1];
    row(static_cast<index_t>(i), begin, end, [&](index_t j) {
        const offset_t other = offsets[j + offset_t{1}] - offsets[j];
        return other > end - begin || (other == end - begin && j > i);
    });
}

__global__ void __launch_bounds__(block) count_kernel(rising_arguments k) {
    for_row(k, [&](index_t i, offset_t begin, offset_t end, auto&& rises) {
        unsigned length = 0;
        for (offset_t base = begin + threadIdx.x % 32; base < end; base += 32 * batch) {
#pragma unroll
            for (int b = 0; b < batch; ++b)
                if (base + 32 * b < end) length += rises(__ldg(k.columns + base + 32 * b));
        }
        length = __reduce_add_sync(full_warp, length);
        if (threadIdx.x % 32 == 0) k.lengths[i] = static_cast<index_t>(length);
    });
}

__global__ void __launch_bounds__(block) fill_kernel(rising_arguments k) {
    for_row(k, [&](index_t i, offset_t begin, offset_t end, auto&& rises) {
        const unsigned lane = threadIdx.x % 32;
        offset_t place = k.starts[i];
        if (lane == 0) {
            const auto put = [&](offset_t at, offset_t value) {
                if (k.out_offsets.wide)
                    static_cast<std::int64_t*>(const_cast<void*>(k.out_offsets.data))[at] = value;
                else
                    static_cast<std::int32_t*>(const_cast<void*>(k.out_offsets.data))[at] =
                        static_cast<std::int32_t>(value);
            };
            put(i, place);
            if (i == k.rows - 1) put(k.rows, k.starts[k.rows]);
        }
        for (offset_t base = begin; base < end; base += 32 * batch) {
            index_t j[batch];
            bool kept[batch];
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const offset_t p = base + 32 * b + lane;
                j[b] = p < end ? __ldg(k.columns + p) : -1;
                kept[b] = p < end && rises(j[b]);
            }
#pragma unroll
            for (int b = 0; b < batch; ++b) {
                const unsigned taken = __ballot_sync(full_warp, kept[b]);
                if (kept[b]) k.out_columns[place + __popc(taken & ((1u << lane) - 1))] = j[b];
                place += __popc(taken);
            }
        }
    });
}

unsigned blocks_of(index_t rows) { return (static_cast<unsigned>(rows) + warps_a_block - 1) / warps_a_block; }

}  // namespace

std::size_t rising_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::InclusiveSum(nullptr, bytes, static_cast<index_t*>(nullptr),
                                        static_cast<offset_t*>(nullptr), rows));
    return bytes;
}

void rising_count(const rising_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(k.starts, 0, sizeof *k.starts, on));
    if (k.rows == 0) return;
    count_kernel<<<blocks_of(k.rows), block, 0, on>>>(k);
    std::size_t bytes = k.scan_bytes;
    check(cub::DeviceScan::InclusiveSum(k.temporary, bytes, k.lengths, k.starts + 1, k.rows, on));
    check(cudaGetLastError());
}

void rising_fill(const rising_arguments& k, void* stream) {
    if (k.rows == 0) return;
    fill_kernel<<<blocks_of(k.rows), block, 0, static_cast<cudaStream_t>(stream)>>>(k);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
