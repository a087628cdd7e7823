// mxv/csc_gather_bucket on a GPU: products are sorted only as far as ranges of rows that fit shared memory, and summed
// there: the partial sort that yang2015 leaves as an open question.
//
// Gather as csc_gather_radix. Partial sort: CUB's radix sort on the rows' high bits, one pass of 8 bits where 256
//   ranges do, two otherwise; stable. Sum: a block owns a range of rows, dense in shared memory. A warp of it owns the
//   rows of one class (row mod 8) and walks the range's products in order, 32 at a time; lanes that hold the same row
//   add one after another.
// Memory: products twice; the result's bitmap is written whole, its values where there are entries.
// Determinism: the order of u's entries within a row, without an atomic.
// Cost: products x (1 or 2 passes + 8 readings from the first-level cache): the fastest that keeps an order around 50,000
//   products on an H200; a bucket that hub rows fill is one block's, 1.55 ms where the radix sort takes 0.57
//   (docs/measurements/spmv.md).
#pragma once

#include "core/cuda_shared.hpp"
#include "kernels/cuda/mxv/common_gather.cuh"

namespace nz::kernels::cuda {

constexpr std::size_t bucket_memory = std::size_t{96} << 10;  // bytes of sums: two blocks a multiprocessor
constexpr int least_bucket_bits = 11;

/// Rows in a bucket, as bits: as few passes of the sort as fit, then as small as that allows.
inline int bucket_bits(index_t rows, std::size_t value_bytes) {
    const int bits = key_bits(rows);
    for (int passes = 1;; ++passes) {
        const int in_bucket = bits - 8 * passes > least_bucket_bits ? bits - 8 * passes : least_bucket_bits;
        if ((value_bytes << in_bucket) <= bucket_memory || in_bucket == least_bucket_bits) return in_bucket;
    }
}

template <class Cell>
__global__ void __launch_bounds__(gather_block)
    bucket_sum_kernel(const std::uint32_t* keys, const typename Cell::value* values, std::int32_t products,
                      index_t rows, int bits, typename Cell::value* out, std::uint32_t* present) {
    using V = typename Cell::value;
    extern __shared__ __align__(16) unsigned char memory[];
    V* sums = reinterpret_cast<V*>(memory);
    auto* met = reinterpret_cast<std::uint32_t*>(memory + (sizeof(V) << bits));
    __shared__ std::int32_t bounds[2];
    const std::uint32_t bucket = blockIdx.x, first_row = bucket << bits, words = (1u << bits) / 32;
    if (threadIdx.x < 2) {
        std::int32_t low = 0, high = products;
        while (low < high) {
            const std::int32_t middle = low + (high - low) / 2;
            if (keys[middle] >> bits < bucket + threadIdx.x)
                low = middle + 1;
            else
                high = middle;
        }
        bounds[threadIdx.x] = low;
    }
    for (std::uint32_t k = threadIdx.x; k < words; k += gather_block) met[k] = 0;
    __syncthreads();
    const std::int32_t end = bounds[1];
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (std::int32_t p = bounds[0]; p < end; p += 32) {
        const std::int32_t at = p + static_cast<std::int32_t>(lane);
        const std::uint32_t row = at < end ? keys[at] : ~0u;
        const bool mine = row < static_cast<std::uint32_t>(rows) && row % (gather_block / 32) == warp;
        const unsigned ours = __ballot_sync(full_warp, mine);
        if (!ours) continue;
        V x{};
        if constexpr (one_product<Cell>)
            x = V(1);
        else if (mine)
            x = values[at];
        const std::uint32_t place = row - first_row;
        unsigned before = 0;
        if (mine) before = __popc(__match_any_sync(ours, row) & ((1u << lane) - 1));
        for (unsigned turn = 0; __any_sync(full_warp, mine && before >= turn); ++turn) {
            if (mine && before == turn) {
                const std::uint32_t bit = 1u << place % 32;
                const bool there = atomicOr(met + place / 32, bit) & bit;
                if (!there)
                    sums[place] = x;
                else if (!Cell::first_wins)
                    sums[place] = Cell::add(sums[place], x);
            }
            __syncwarp();
        }
    }
    __syncthreads();
    for (std::uint32_t k = threadIdx.x; k < words; k += gather_block) {
        const std::uint32_t word = (first_row >> 5) + k;
        if (word < half_words(rows)) present[word] = met[k];
    }
    for (std::uint32_t k = threadIdx.x; k < words * 32; k += gather_block)
        if (met[k / 32] >> k % 32 & 1) out[first_row + k] = sums[k];
}

template <class Cell>
void csc_gather_bucket(const device_mxv_arguments& a, void* stream) {
    using V = typename Cell::value;
    const index_t rows = a.common.output_size;
    product_memory<Cell> m(a);
    gather<Cell>(a, store_products<Cell>{m.pairs.keys[0], static_cast<V*>(m.pairs.values[0])}, stream);
    const int bits = bucket_bits(rows, sizeof(V));
    if (key_bits(rows) > bits) radix_sort(m.pairs, bits, key_bits(rows), m.temporary, a.sort_bytes, stream);
    const std::size_t shared = (sizeof(V) << bits) + (std::size_t{1} << bits) / 8;
    allow_shared(bucket_sum_kernel<Cell>, shared);
    bucket_sum_kernel<Cell>
        <<<blocks_for(rows, offset_t{1} << bits), gather_block, shared, static_cast<cudaStream_t>(stream)>>>(
            m.pairs.keys[0], static_cast<const V*>(m.pairs.values[0]), static_cast<std::int32_t>(a.products),
            rows, bits, static_cast<V*>(a.common.out_values),
            reinterpret_cast<std::uint32_t*>(a.common.out_present));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
