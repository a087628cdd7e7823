// Places of a vector moved on a GPU: a thread has a place, a warp a word of 32 bits of presence.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/places_arguments.hpp"
#include "storage/csr.hpp"

namespace nz::kernels::cuda::places_detail {

inline constexpr unsigned block = 256;

__device__ inline bool holds(const words_side& v, offset_t i) {
    return !v.present || (__ldg(reinterpret_cast<const std::uint32_t*>(v.present) + i / 32) >> i % 32 & 1);
}

template <class U, bool Rest>
__global__ void __launch_bounds__(block) move_places(places_arguments k) {
    const offset_t i = offset_t{blockIdx.x} * block + threadIdx.x;
    bool here = false;
    U value{};
    if (i < k.size) {
        const offset_t source = __ldg(k.sources + i);
        if (source >= 0) {
            here = holds(k.from, source);
            if (here) value = __ldg(static_cast<const U*>(k.from.values) + source * k.from.step);
        } else if constexpr (Rest) {
            here = holds(k.rest, i);
            if (here) value = static_cast<const U*>(k.rest.values)[i];
        }
        static_cast<U*>(k.values)[i] = value;
    }
    if (!k.present) return;
    const unsigned word = __ballot_sync(full_warp, here);
    const auto words = static_cast<offset_t>(bits::words_for(k.size)) * 2;
    if (threadIdx.x % 32 == 0 && i / 32 < words) reinterpret_cast<std::uint32_t*>(k.present)[i / 32] = word;
}

template <bool Rest>
void fill(const places_arguments& k, void* stream) {
    if (k.size == 0) return;
    // The last word of 64 bits is written whole.
    const auto places = static_cast<offset_t>(bits::words_for(k.size)) * bits::per_word;
    storage::by_width(k.value_bytes, [&]<class U>(std::type_identity<U>) {
        move_places<U, Rest><<<static_cast<unsigned>((places + block - 1) / block), block, 0,
                               static_cast<cudaStream_t>(stream)>>>(k);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda::places_detail
