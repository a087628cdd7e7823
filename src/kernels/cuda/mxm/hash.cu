// The survey and the count of mxm/hash; the essay stands in hash.cuh.
#include "kernels/cuda/mxm/common_count.hpp"
#include "kernels/cuda/mxm/common_rows.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace nz::kernels::cuda {

namespace {

constexpr int survey_block = 256;
/// Lanes that add up a row's products: a hub's ten thousand entries take some tens of microseconds so.
constexpr int survey_lanes = 8;
/// Eight a multiprocessor: each adds to the survey's counters once.
constexpr unsigned survey_blocks = 1056;

/// A block's rows by bin, added to the survey's.
struct bin_counts {
    unsigned rows[plan::row_bins];

    __device__ void clear() {
        if (threadIdx.x < plan::row_bins) rows[threadIdx.x] = 0;
        __syncthreads();
    }
    __device__ void add_to(unsigned* all) const {
        __syncthreads();
        if (threadIdx.x < plan::row_bins && rows[threadIdx.x])
            atomicAdd(all + threadIdx.x, rows[threadIdx.x]);
    }
};

__global__ void __launch_bounds__(survey_block)
    hash_survey_kernel(device_mxm_side a, device_offsets b_offsets, index_t rows,
                       plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ unsigned long long products;
    __shared__ double about;
    if (threadIdx.x == 0) {
        products = 0;
        about = 0;
    }
    bins.clear();
    const int lane = static_cast<int>(threadIdx.x) % survey_lanes;
    unsigned long long all = 0;
    double all_about = 0;
    constexpr int a_block = survey_block / survey_lanes;
    for (offset_t base = offset_t{blockIdx.x} * a_block; base < rows; base += offset_t{gridDim.x} * a_block) {
        const offset_t row = base + threadIdx.x / survey_lanes;
        unsigned long long sum = 0;
        if (row < rows) {
            const offset_t end = a.offsets[row + 1];
#pragma unroll 4
            for (offset_t p = a.offsets[row] + lane; p < end; p += survey_lanes) {
                const offset_t k = a.columns[p], n = b_offsets[k + 1] - b_offsets[k];
                sum += static_cast<unsigned long long>(n);
                all_about += static_cast<double>(n);
            }
        }
        all += sum;
#pragma unroll
        for (int distance = survey_lanes / 2; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(full_warp, sum, distance);
        if (row >= rows || lane != 0) continue;
        // A row beyond 2^63 is reported by `about`, whatever its bin.
        const int bin = plan::bin_of_products(static_cast<offset_t>(sum & ~(1ull << 63)));
        parts.bins[row] = static_cast<std::uint8_t>(bin);
        atomicAdd(bins.rows + bin, 1u);
        if (bin == plan::empty_bin) parts.counts[row] = 0;
        if (row == rows - 1) parts.counts[rows] = 0;
    }
    __syncwarp();
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        all += __shfl_xor_sync(full_warp, all, distance);
        all_about += __shfl_xor_sync(full_warp, all_about, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&products, all);
        atomicAdd(&about, all_about);
    }
    bins.add_to(parts.by_products->rows);
    if (threadIdx.x == 0) {
        atomicAdd(&parts.by_products->products, products);
        atomicAdd(&parts.by_products->about, about);
    }
}

/// Rows [first, last) by the entries that were counted; `known` where their bins are those already.
__global__ void __launch_bounds__(survey_block)
    hash_bin_kernel(index_t first, index_t last, bool known, plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    bins.clear();
    const offset_t row = first + offset_t{blockIdx.x} * survey_block + threadIdx.x;
    if (row < last) {
        int bin = parts.bins[row];
        if (!known) {
            bin = plan::bin_of_entries(parts.counts[row], bin);
            parts.bins[row] = static_cast<std::uint8_t>(bin);
        }
        atomicAdd(bins.rows + bin, 1u);
    }
    bins.add_to(parts.by_entries->rows);
}

/// Lists the rows [first, last) of each bin; in which order inside one does not show in the result.
__global__ void __launch_bounds__(survey_block)
    hash_list_kernel(index_t first, index_t last, plan::mxm_survey* survey, plan::mxm_device_parts parts) {
    __shared__ bin_counts bins;
    __shared__ unsigned begins[plan::row_bins];
    bins.clear();
    const offset_t row = first + offset_t{blockIdx.x} * survey_block + threadIdx.x;
    const int bin = row < last ? parts.bins[row] : plan::empty_bin;
    const unsigned place = bin == plan::empty_bin ? 0 : atomicAdd(bins.rows + bin, 1u);
    __syncthreads();
    if (threadIdx.x < plan::empty_bin && bins.rows[threadIdx.x]) {
        unsigned begin = atomicAdd(survey->taken + threadIdx.x, bins.rows[threadIdx.x]);
        for (unsigned before = 0; before < threadIdx.x; ++before) begin += survey->rows[before];
        begins[threadIdx.x] = begin;
    }
    __syncthreads();
    if (bin != plan::empty_bin) parts.listed[begins[bin] + place] = static_cast<index_t>(row);
}

template <int Lanes>
__global__ void __launch_bounds__(lanes_block)
    hash_count_kernel(device_mxm_side a, device_mxm_side b, const index_t* listed, unsigned rows, int slots,
                      index_t* counts) {
    extern __shared__ index_t all_keys[];
    const int lane = static_cast<int>(threadIdx.x) % Lanes, group = static_cast<int>(threadIdx.x) / Lanes;
    index_t* keys = all_keys + group * slots;
    const unsigned at = blockIdx.x * (lanes_block / Lanes) + static_cast<unsigned>(group);
    const index_t row = at < rows ? listed[at] : 0;
    const offset_t first = at < rows ? a.offsets[row] : 0,
                   last = at < rows ? a.offsets[row + offset_t{1}] : 0;
    for (int s = lane; s < slots; s += Lanes) keys[s] = no_key;
    __syncwarp();
    const int shift = shift_of(slots);
    int entries = 0;
    for_products<Lanes, false>(
        a, b, first, last, [](offset_t, index_t) {},
        [&](bool active, int, offset_t q) {
            bool made = false;
            if (active) slot_of(keys, slots, shift, __ldg(b.columns + q), made);
            entries += made;
        });
#pragma unroll
    for (int distance = Lanes / 2; distance > 0; distance /= 2)
        entries += __shfl_xor_sync(full_warp, entries, distance);
    if (at < rows && lane == 0) counts[row] = entries;
}

__global__ void __launch_bounds__(wide_row_block)
    hash_count_rows_kernel(device_mxm_side a, device_mxm_side b, const index_t* listed, unsigned rows,
                           index_t columns, block_tables tables, index_t* counts) {
    extern __shared__ unsigned long long shared_bits[];
    __shared__ entry_spread m;
    __shared__ int entries;
    const int words = (columns + 63) / 64;
    unsigned long long* bits = tables.of_block(shared_bits);
    for (unsigned at = blockIdx.x; at < rows; at += gridDim.x) {
        const index_t row = listed[at];
        if (threadIdx.x == 0) entries = 0;
        mark_columns(m, a, b, a.offsets[row], a.offsets[row + offset_t{1}], bits, words);
        int mine = 0;
        for (int w = static_cast<int>(threadIdx.x); w < words; w += static_cast<int>(blockDim.x))
            mine += __popcll(bits[w]);
        mine = static_cast<int>(__reduce_add_sync(full_warp, static_cast<unsigned>(mine)));
        if (threadIdx.x % 32 == 0) atomicAdd(&entries, mine);
        __syncthreads();
        if (threadIdx.x == 0) counts[row] = entries;
        __syncthreads();
    }
}

template <class Offset>
__global__ void __launch_bounds__(survey_block)
    hash_offsets_kernel(const offset_t* from, Offset* to, offset_t n) {
    const offset_t i = offset_t{blockIdx.x} * survey_block + threadIdx.x;
    if (i < n) to[i] = static_cast<Offset>(from[i]);
}

struct as_offset {
    __device__ offset_t operator()(index_t n) const { return n; }
};
auto as_offsets(const index_t* counts) { return thrust::make_transform_iterator(counts, as_offset{}); }

unsigned blocks_for(offset_t n, int a_block) { return static_cast<unsigned>((n + a_block - 1) / a_block); }
cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }

void bin_rows(const device_mxm_arguments& k, index_t first, index_t last, bool known, void* stream) {
    if (first == last) return;
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const unsigned blocks = blocks_for(last - first, survey_block);
    hash_bin_kernel<<<blocks, survey_block, 0, on(stream)>>>(first, last, known, parts);
    hash_list_kernel<<<blocks, survey_block, 0, on(stream)>>>(first, last, parts.by_entries, parts);
}

template <int Lanes>
void count_bin(const device_mxm_arguments& k, const index_t* listed, unsigned rows, int slots,
               index_t* counts, cudaStream_t stream) {
    constexpr int groups = lanes_block / Lanes;
    const std::size_t shared = static_cast<std::size_t>(slots) * sizeof(index_t) * groups;
    allow_shared(hash_count_kernel<Lanes>, shared);
    hash_count_kernel<Lanes><<<blocks_for(rows, groups), lanes_block, shared, stream>>>(
        device_mxm_side(k.a, 0), device_mxm_side(k.b, 0), listed, rows, slots, counts);
}

}  // namespace

std::size_t hash_scan_bytes(index_t rows) {
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveSum(nullptr, bytes, as_offsets(nullptr), static_cast<offset_t*>(nullptr),
                                        offset_t{rows} + 1));
    return bytes;
}

void hash_survey(const device_mxm_arguments& k, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    check(cudaMemsetAsync(parts.by_products, 0, sizeof(plan::mxm_survey), on(stream)));
    check(cudaMemsetAsync(parts.by_entries, 0, sizeof(plan::mxm_survey), on(stream)));
    if (k.rows == 0) return check(cudaMemsetAsync(parts.counts, 0, sizeof(index_t), on(stream)));
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    hash_survey_kernel<<<std::min(blocks_for(k.rows, survey_block / survey_lanes), survey_blocks),
                         survey_block, 0, on(stream)>>>(a, b.offsets, k.rows, parts);
    hash_list_kernel<<<blocks_for(k.rows, survey_block), survey_block, 0, on(stream)>>>(
        0, k.rows, parts.by_products, parts);
    check(cudaGetLastError());
}

void hash_count(const device_mxm_arguments& k, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const device_mxm_side a(k.a, 0), b(k.b, 0);
    const index_t* listed = parts.listed;
    if (const unsigned rows = k.by_products.block_rows()) {
        const block_launch l = block_launch_of(k, rows);
        allow_shared(hash_count_rows_kernel, l.shared_bytes);
        hash_count_rows_kernel<<<l.blocks, l.threads, l.shared_bytes, on(stream)>>>(
            a, b, listed, rows, k.columns, l.tables, parts.counts);
        listed += rows;
    }
    for (int bin = plan::block_bins; bin < plan::empty_bin; ++bin) {
        const unsigned rows = k.by_products.rows[bin];
        if (rows == 0) continue;
        const int slots = plan::slots_of_bin(bin);
        slots <= few_lanes_slots ? count_bin<few_lanes>(k, listed, rows, slots, parts.counts, on(stream))
                                 : count_bin<32>(k, listed, rows, slots, parts.counts, on(stream));
        listed += rows;
    }
    bin_rows(k, 0, k.rows, false, stream);
    std::size_t bytes = parts.scan_bytes;
    check(cub::DeviceScan::ExclusiveSum(parts.scan, bytes, as_offsets(parts.counts), parts.starts,
                                        offset_t{k.rows} + 1, on(stream)));
    check(cudaGetLastError());
}

void hash_choose(const device_mxm_arguments& k, index_t first, index_t last, void* stream) {
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    check(cudaMemsetAsync(parts.by_entries, 0, sizeof(plan::mxm_survey), on(stream)));
    bin_rows(k, first, last, true, stream);
    check(cudaGetLastError());
}

void hash_offsets(const device_mxm_arguments& k, void* stream) {
    if (!k.offsets) return;
    const plan::mxm_device_parts parts(k.row_parts, k.rows, k.scan_bytes);
    const offset_t n = offset_t{k.rows} + 1;
    const unsigned blocks = blocks_for(n, survey_block);
    if (k.wide)
        hash_offsets_kernel<<<blocks, survey_block, 0, on(stream)>>>(
            parts.starts, static_cast<std::int64_t*>(k.offsets), n);
    else
        hash_offsets_kernel<<<blocks, survey_block, 0, on(stream)>>>(
            parts.starts, static_cast<std::int32_t*>(k.offsets), n);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
