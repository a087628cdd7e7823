// reduce/blocks on a GPU: the sum of a vector's entries over a monoid.
//
// Who owns what: a block of 256 threads has 8,192 places, thread t those at t, t + 256, ...; its threads' sums are added in a
//   tree of fixed shape, and one more block does the same with the blocks' sums.
// Shared memory: a value and a byte for each thread. Workspace: a value and a byte a block. Sync: barriers of the tree, two launches.
// Memory: values once. Determinism: the order depends on size and presence alone, and is the CPU's: the same bits on both.
// Distance to the limit (H200): docs/measurements/spmv.md (vectors on a GPU).
// Why the CPU's was not enough: a vector that is on the GPU would come home to be added.
#pragma once

#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cuda {

inline constexpr unsigned reduce_threads = reduce_lanes;

/// A sum that may have met nothing yet.
template <binary_id Add, class T>
struct monoid_sum {
    T value{};
    bool met = false;
    __device__ void add(T x) {
        value = met ? static_cast<T>(algebra::binary<Add>(value, x)) : x;
        met = true;
    }
};

/// The block's sum, right in thread 0.
template <binary_id Add, class T>
__device__ monoid_sum<Add, T> sum_of_block(monoid_sum<Add, T> mine) {
    __shared__ T values[reduce_threads];
    __shared__ bool met[reduce_threads];
    values[threadIdx.x] = mine.value;
    met[threadIdx.x] = mine.met;
    for (unsigned distance = reduce_threads / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (threadIdx.x < distance && met[threadIdx.x + distance]) {
            mine.add(values[threadIdx.x + distance]);
            values[threadIdx.x] = mine.value;
            met[threadIdx.x] = true;
        }
    }
    return mine;
}

/// `present_bytes`: a byte a place, in place of bits, of sums of blocks.
template <binary_id Add, class T>
__global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(const T* x, const std::uint32_t* present, const bool* present_bytes, offset_t size,
                  offset_t places, T* sums, bool* met) {
    const offset_t begin = blockIdx.x * places, end = min(size, begin + places);
    monoid_sum<Add, T> mine;
    for (offset_t i = begin + threadIdx.x; i < end; i += reduce_threads) {
        const bool here = present ? present[i / 32] >> (i % 32) & 1 : present_bytes ? present_bytes[i] : true;
        if (here) mine.add(x[i]);
    }
    const auto whole = sum_of_block(mine);
    if (threadIdx.x != 0) return;
    sums[blockIdx.x] = whole.value;
    met[blockIdx.x] = whole.met;
}

template <binary_id Add, class T>
void reduce_blocks(const reduce_arguments& k, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const offset_t blocks = (k.size + reduce_block - 1) / reduce_block;
    T *parts = static_cast<T*>(k.parts), *result = static_cast<T*>(k.result);
    bool *parts_met = reinterpret_cast<bool*>(parts + blocks),
         *result_met = reinterpret_cast<bool*>(result + 1);
    if (blocks)
        reduce_kernel<Add, T><<<static_cast<unsigned>(blocks), reduce_threads, 0, on>>>(
            static_cast<const T*>(k.values), reinterpret_cast<const std::uint32_t*>(k.present), nullptr,
            k.size, reduce_block, parts, parts_met);
    reduce_kernel<Add, T>
        <<<1, reduce_threads, 0, on>>>(parts, nullptr, parts_met, blocks, blocks, result, result_met);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
