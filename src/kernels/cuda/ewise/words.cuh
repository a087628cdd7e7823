// ewise/words on a GPU: w = u op v for vectors that are dense or bitmaps, as union or intersection.
//
// Who owns what: a thread has a place, a warp 32 of them, whose word of presence its ballot makes. No shared memory, no sync.
// Memory: each operand once, the result once; it may take the place of an operand. A fixed operand is one value, read by all.
// Determinism: no sum. Distance to the limit (H200): docs/measurements/spmv.md (vectors on a GPU).
// Why the CPU's was not enough: vectors that a product on the GPU left there would come home and go back.
#pragma once

#include "algebra/functors.hpp"
#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/vector_arguments.hpp"

namespace nz::kernels::cuda {

inline constexpr unsigned words_block = 256;

template <binary_id Op, class T>
__global__ void __launch_bounds__(words_block) words_kernel(words_arguments k) {
    using R = decltype(algebra::binary<Op>(T{}, T{}));
    const offset_t i = offset_t{blockIdx.x} * words_block + threadIdx.x, word = i / 32;
    const auto present = [&](const words_side& s) {
        return i < k.size &&
               (!s.present || reinterpret_cast<const std::uint32_t*>(s.present)[word] >> (i % 32) & 1);
    };
    const bool in_a = present(k.a), in_b = present(k.b);
    const T *a = static_cast<const T*>(k.a.values) + i * k.a.step,
            *b = static_cast<const T*>(k.b.values) + i * k.b.step;
    R* out = static_cast<R*>(k.values) + i;
    const bool both = in_a && in_b, either = in_a || in_b;
    const bool here = k.operation == set_operation::unite ? either : both;
    if (both)
        *out = static_cast<R>(algebra::binary<Op>(*a, *b));
    else if (here)
        *out = convert<R>(in_a ? *a : *b);
    else if constexpr (std::is_same_v<R, bool>)
        if (i < k.size) *out = false;  // no other byte is a truth value
    if (!k.present) return;
    const unsigned places = __ballot_sync(full_warp, here);
    if (threadIdx.x % 32 == 0 && i < (k.size + 63) / 64 * 64)
        reinterpret_cast<std::uint32_t*>(k.present)[word] = places;
}

template <binary_id Op, class T>
void words(const words_arguments& k, void* stream) {
    if (k.size == 0) return;
    const auto blocks = static_cast<unsigned>((k.size + 63 + words_block - 1) / words_block);
    words_kernel<Op, T><<<blocks, words_block, 0, static_cast<cudaStream_t>(stream)>>>(k);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
