// Column bins on a GPU: a CSR's entries by ranges of columns, in each by bins of 4,096 neighbours (storage/column_bins.hpp).
//
// Count: a block takes a bin and counts its entries by range in shared memory; what an entry's count was and a scan over the ranges give its
//   place in the bin. The counts of all bins, range by range, are summed up (CUB), which says where each run begins.
// Place: a block takes a bin again and writes its runs, place by place, from entries that the first-level cache has.
// Who owns what: block -> bin, thread -> every 1,024th of its entries.
// Memory: columns and the order twice, values and what is made of both once; two numbers of 4 bytes for each bin and range.
// Synchronisation: kernels one after another; barriers of a block.
// Determinism: runs and their places. The order within a run is that of atomic additions: no sum goes by it.
// Cost: nnz + bins x ranges.
// Distance to the limit (H200, random:8000000,8 in double): 1.7 to 1.9 ms for 64 M entries, 0.6 of them the counting; columns and the order twice, values
//   and what is made once take 0.5 at the copy rate: runs of six entries are written to pieces of sectors. (4.7 ms with the loading of the code.)
#include "core/cuda_check.hpp"
#include "kernels/cuda/bins/common_build.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "plan/workspace.hpp"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda {
namespace {

constexpr unsigned bin_block = 1024, entries = static_cast<unsigned>(storage::bin_entries),
                   thread_entries_of_bin = entries / bin_block, words_of_bin = entries / 32,
                   alignment = static_cast<unsigned>(storage::bin_alignment);
using scan = cub::BlockScan<unsigned, bin_block>;

__device__ unsigned size_of_bin(std::uint32_t nnz, unsigned bin) { return min(entries, nnz - bin * entries); }

__global__ void __launch_bounds__(bin_block)
    count_bins_kernel(const index_t* __restrict__ indices, std::uint32_t nnz, unsigned width, unsigned ranges,
                      unsigned bins, std::uint16_t* order, std::uint32_t* counts) {
    extern __shared__ unsigned of_range[];
    __shared__ typename scan::TempStorage scans;
    __shared__ std::uint16_t entry_at[entries];
    const unsigned bin = blockIdx.x, size = size_of_bin(nnz, bin);
    const std::uint32_t base = bin * entries;
    for (unsigned c = threadIdx.x; c < ranges; c += bin_block) of_range[c] = 0;
    __syncthreads();
    unsigned range[thread_entries_of_bin], rank[thread_entries_of_bin];
#pragma unroll
    for (unsigned j = 0; j < thread_entries_of_bin; ++j) {
        const unsigned k = j * bin_block + threadIdx.x;
        if (k >= size) continue;
        range[j] = static_cast<unsigned>(__ldcs(indices + base + k)) / width;
        rank[j] = atomicAdd(of_range + range[j], 1u);
    }
    __syncthreads();
    unsigned before = 0;
    for (unsigned first = 0; first < ranges; first += bin_block) {
        const unsigned c = first + threadIdx.x, count = c < ranges ? of_range[c] : 0;
        unsigned earlier, all;
        scan(scans).ExclusiveSum(count, earlier, all);
        if (c < ranges) {
            counts[std::size_t{c} * bins + bin] = count;
            of_range[c] = before + earlier;
        }
        before += all;
        __syncthreads();
    }
#pragma unroll
    for (unsigned j = 0; j < thread_entries_of_bin; ++j) {
        const unsigned k = j * bin_block + threadIdx.x;
        if (k < size) entry_at[of_range[range[j]] + rank[j]] = static_cast<std::uint16_t>(k);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < size; k += bin_block) order[base + k] = entry_at[k];
}

/// Where ranges begin, by one block; `sums` are of the counts. What stands between ranges becomes 0.
__global__ void __launch_bounds__(bin_block)
    start_ranges_kernel(const std::uint32_t* __restrict__ sums, std::uint32_t nnz, unsigned ranges,
                        unsigned bins, std::uint32_t* starts, std::uint16_t* columns, unsigned char* values,
                        unsigned value_bytes) {
    __shared__ typename scan::TempStorage scans;
    std::uint32_t before = 0;
    for (unsigned first = 0; first < ranges; first += bin_block) {
        const unsigned c = first + threadIdx.x;
        const std::uint32_t begin = c < ranges ? sums[std::size_t{c} * bins] : nnz,
                            end = c + 1 < ranges ? sums[std::size_t{c + 1} * bins] : nnz, size = end - begin,
                            padded = (size + alignment - 1) / alignment * alignment;
        unsigned earlier, all;
        scan(scans).ExclusiveSum(padded, earlier, all);
        const std::uint32_t start = before + earlier;
        if (c < ranges) {
            starts[c] = start;
            for (std::uint32_t k = start + size; k < start + padded; ++k) {
                columns[k] = 0;
                for (unsigned byte = 0; byte < value_bytes; ++byte)
                    values[std::size_t{k} * value_bytes + byte] = 0;
            }
        }
        before += all;
        __syncthreads();
    }
    if (threadIdx.x == 0) starts[ranges] = before;
}

/// U: as many bytes as a value has; nothing is read of values where they are null.
template <class U>
__global__ void __launch_bounds__(bin_block)
    place_bins_kernel(const index_t* __restrict__ indices, const U* __restrict__ values, std::uint32_t nnz,
                      unsigned width, unsigned ranges, unsigned bins, const std::uint16_t* __restrict__ order,
                      const std::uint32_t* __restrict__ counts, const std::uint32_t* __restrict__ sums,
                      const std::uint32_t* __restrict__ starts, std::uint16_t* columns, U* out_values,
                      storage::bin_word* words, std::uint32_t* deltas) {
    __shared__ std::uint32_t heads[words_of_bin], runs_before[words_of_bin], delta_of_run[entries];
    __shared__ typename scan::TempStorage scans;
    const unsigned bin = blockIdx.x, size = size_of_bin(nnz, bin), t = threadIdx.x;
    const std::uint32_t base = bin * entries;
    if (t < words_of_bin) heads[t] = 0;
    __syncthreads();
    // Entries before a range, and runs, summed up together: 13 bits each, below 4,097.
    constexpr unsigned one_run = 1u << 16;
    unsigned entries_before = 0, runs = 0;
    for (unsigned first = 0; first < ranges; first += bin_block) {
        const unsigned c = first + t, count = c < ranges ? counts[std::size_t{c} * bins + bin] : 0;
        unsigned earlier, all;
        scan(scans).ExclusiveSum(count ? count + one_run : 0, earlier, all);
        if (count) {
            const unsigned slot = entries_before + earlier % one_run, run = runs + earlier / one_run;
            const std::uint32_t place =
                starts[c] + sums[std::size_t{c} * bins + bin] - sums[std::size_t{c} * bins];
            delta_of_run[run] = deltas[std::size_t{bin} * ranges + run] = place - (base + slot);
            atomicOr(heads + slot / 32, 1u << slot % 32);
        }
        entries_before += all % one_run;
        runs += all / one_run;
        __syncthreads();
    }
    unsigned earlier;
    scan(scans).ExclusiveSum(t < words_of_bin ? __popc(heads[t]) : 0, earlier);
    if (t < words_of_bin) {
        words[std::size_t{bin} * words_of_bin + t] = {heads[t], earlier};
        runs_before[t] = earlier;
    }
    __syncthreads();
    for (unsigned slot = t; slot < size; slot += bin_block) {
        const unsigned upto = ~0u >> (31 - slot % 32),
                       run = runs_before[slot / 32] + __popc(heads[slot / 32] & upto) - 1;
        const std::uint32_t place = base + slot + delta_of_run[run];
        const std::uint32_t entry = base + order[base + slot];
        columns[place] = static_cast<std::uint16_t>(static_cast<unsigned>(indices[entry]) % width);
        if (values) out_values[place] = values[entry];
    }
}

std::size_t sum_bytes(offset_t counts) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<const std::uint32_t*>(nullptr),
                                        static_cast<std::uint32_t*>(nullptr), counts));
    return bytes;
}

template <class U>
void place(const device_bin_build& b, const std::uint32_t* counts, const std::uint32_t* sums,
           cudaStream_t on) {
    constexpr auto kernel = place_bins_kernel<U>;
    const auto ranges = static_cast<unsigned>(b.ranges),
               bins = static_cast<unsigned>(storage::bins_of(b.nnz));
    kernel<<<bins, bin_block, 0, on>>>(b.indices, static_cast<const U*>(b.values),
                                       static_cast<std::uint32_t>(b.nnz), static_cast<unsigned>(b.width),
                                       ranges, bins, b.order, counts, sums, b.range_starts, b.columns,
                                       static_cast<U*>(b.out_values), b.words, b.deltas);
}

}  // namespace

std::size_t bin_temporary_bytes(offset_t nnz, offset_t ranges) {
    const offset_t counts = storage::bins_of(nnz) * ranges;
    return 2 * plan::padded(static_cast<std::size_t>(counts) * sizeof(std::uint32_t)) +
           plan::padded(sum_bytes(counts));
}

void make_bins(const device_bin_build& b, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const offset_t bins = storage::bins_of(b.nnz), count = bins * b.ranges;
    if (count == 0) return;
    plan::workspace_parts parts(b.temporary);
    auto* counts = parts.take<std::uint32_t>(count);
    auto* sums = parts.take<std::uint32_t>(count);
    std::size_t bytes = sum_bytes(count);
    void* summing = parts.take<std::byte>(static_cast<offset_t>(bytes));
    const auto ranges = static_cast<unsigned>(b.ranges), blocks = static_cast<unsigned>(bins);
    const auto nnz = static_cast<std::uint32_t>(b.nnz);
    count_bins_kernel<<<blocks, bin_block, ranges * sizeof(unsigned), on>>>(
        b.indices, nnz, static_cast<unsigned>(b.width), ranges, blocks, b.order, counts);
    check(cub::DeviceScan::ExclusiveSum(summing, bytes, counts, sums, count, on));
    start_ranges_kernel<<<1, bin_block, 0, on>>>(sums, nnz, ranges, blocks, b.range_starts, b.columns,
                                                 static_cast<unsigned char*>(b.out_values),
                                                 b.values ? static_cast<unsigned>(b.value_bytes) : 0);
    switch (b.values ? b.value_bytes : 1) {
        case 1:
            place<std::uint8_t>(b, counts, sums, on);
            break;
        case 2:
            place<std::uint16_t>(b, counts, sums, on);
            break;
        case 4:
            place<std::uint32_t>(b, counts, sums, on);
            break;
        default:
            place<std::uint64_t>(b, counts, sums, on);
            break;
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
