// Columns by their entries on a GPU: storage/ranked_columns.cpp's arrays.
//
// Who owns what: a thread -> every so manieth entry or column. Entries are counted by an atomic addition each to their column; a stable sort by
//   the bits that counts take (CUB, one pass of 6 bits) orders the columns; each then writes its place, and each entry reads its column's.
// Memory: the indices twice, the ranks once, and of each column its count, key and number a few times.
// Synchronisation: kernels one after another. Additions to a hot column wait for each other in the L2.
// Determinism: every place follows from the counts.
// Cost: nnz + columns.
// Distance to the limit (H100): 1.95 ms for the 67 M entries of rmat_directed:22,16, whose indices twice and ranks once take 0.27 ms at the
//   copy rate; where the rest goes is not measured.
#include "core/cuda_check.hpp"
#include "kernels/cuda/mxv/common_row.cuh"
#include "kernels/cuda/ranks/common_build.hpp"
#include "plan/workspace.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <cstdint>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned rank_block = 256;
constexpr int key_bits = 6;  // a count has 0 to 32 bits
constexpr std::uint8_t no_entries = 32;

__global__ void __launch_bounds__(rank_block)
    count_kernel(const index_t* __restrict__ indices, offset_t nnz, index_t* counts) {
    const offset_t k = offset_t{blockIdx.x} * rank_block + threadIdx.x;
    if (k < nnz) atomicAdd(counts + load_streamed(indices + k), 1);
}
__global__ void __launch_bounds__(rank_block)
    key_kernel(const index_t* __restrict__ counts, index_t columns, std::uint8_t* keys, index_t* numbers) {
    const offset_t j = offset_t{blockIdx.x} * rank_block + threadIdx.x;
    if (j >= columns) return;
    keys[j] = static_cast<std::uint8_t>(__clz(counts[j]));
    numbers[j] = static_cast<index_t>(j);
}
/// And how many have entries: the first place without is theirs to tell.
__global__ void __launch_bounds__(rank_block)
    place_kernel(const index_t* __restrict__ order, const std::uint8_t* __restrict__ sorted, index_t columns,
                 index_t* places, index_t* held) {
    const offset_t r = offset_t{blockIdx.x} * rank_block + threadIdx.x;
    if (r >= columns) return;
    places[order[r]] = static_cast<index_t>(r);
    const bool here = sorted[r] < no_entries, next = r + 1 < columns && sorted[r + 1] < no_entries;
    if (here && !next) *held = static_cast<index_t>(r + 1);
}
__global__ void __launch_bounds__(rank_block)
    rank_kernel(const index_t* __restrict__ indices, const index_t* __restrict__ places, offset_t nnz,
                index_t* ranks) {
    const offset_t k = offset_t{blockIdx.x} * rank_block + threadIdx.x;
    if (k < nnz) ranks[k] = __ldg(places + load_streamed(indices + k));
}

std::size_t sort_bytes(index_t columns) {
    std::size_t bytes = 0;
    check(cub::DeviceRadixSort::SortPairs(
        nullptr, bytes, static_cast<const std::uint8_t*>(nullptr), static_cast<std::uint8_t*>(nullptr),
        static_cast<const index_t*>(nullptr), static_cast<index_t*>(nullptr), columns, 0, key_bits));
    return bytes;
}

}  // namespace

std::size_t rank_temporary_bytes(index_t columns) {
    const auto n = static_cast<std::size_t>(columns);
    return 2 * plan::padded(n) + plan::padded(n * sizeof(index_t)) + plan::padded(sort_bytes(columns));
}

void rank_columns(const device_rank_build& b, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    check(cudaMemsetAsync(b.held, 0, sizeof(index_t), on));
    if (b.columns == 0) return;
    plan::workspace_parts parts(b.temporary);
    auto* keys = parts.take<std::uint8_t>(b.columns);
    auto* sorted = parts.take<std::uint8_t>(b.columns);
    auto* numbers = parts.take<index_t>(b.columns);
    std::size_t bytes = sort_bytes(b.columns);
    void* sorting = parts.take<std::byte>(static_cast<offset_t>(bytes));
    const unsigned of_columns = blocks_for(b.columns, rank_block), of_entries = blocks_for(b.nnz, rank_block);
    check(cudaMemsetAsync(b.places, 0, static_cast<std::size_t>(b.columns) * sizeof(index_t), on));
    if (of_entries) count_kernel<<<of_entries, rank_block, 0, on>>>(b.indices, b.nnz, b.places);
    key_kernel<<<of_columns, rank_block, 0, on>>>(b.places, b.columns, keys, numbers);
    check(cub::DeviceRadixSort::SortPairs(sorting, bytes, keys, sorted, numbers, b.order, b.columns, 0,
                                          key_bits, on));
    place_kernel<<<of_columns, rank_block, 0, on>>>(b.order, sorted, b.columns, b.places, b.held);
    if (of_entries) rank_kernel<<<of_entries, rank_block, 0, on>>>(b.indices, b.places, b.nnz, b.ranks);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
