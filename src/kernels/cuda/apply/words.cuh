// apply/words on a GPU: w = f(u) for a vector's entries, which keep their places.
//
// Who owns what: a thread has a place, present or not: an absent one's value is passed over. No shared memory, no sync.
// Memory: u once, w once. Determinism: no sum. Distance to the limit (H200): docs/measurements/spmv.md (vectors on a GPU).
// Why the CPU's was not enough: vectors that a product on the GPU left there would come home and go back.
#pragma once

#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cuda {

inline constexpr unsigned apply_block = 256;

template <unary_id Op, class T>
__global__ void __launch_bounds__(apply_block) apply_kernel(apply_arguments k) {
    const offset_t i = offset_t{blockIdx.x} * apply_block + threadIdx.x;
    if (i >= k.size) return;
    T* to = static_cast<T*>(k.to) + i;
    if (!k.present || reinterpret_cast<const std::uint32_t*>(k.present)[i / 32] >> (i % 32) & 1)
        *to = algebra::unary<Op>(static_cast<const T*>(k.from)[i]);
    else if constexpr (std::is_same_v<T, bool>)
        *to = false;  // no other byte is a truth value
}

template <unary_id Op, class T>
void apply_words(const apply_arguments& k, void* stream) {
    if (k.size == 0) return;
    const auto blocks = static_cast<unsigned>((k.size + apply_block - 1) / apply_block);
    apply_kernel<Op, T><<<blocks, apply_block, 0, static_cast<cudaStream_t>(stream)>>>(k);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
