// The numeric half of C = A B where its products are listed by place: nothing is looked for.
//
// Computes: values(c) = sum over the pairs (p, q) of place c of A(p) x B(q), in the order of A's entries.
// Who owns what: a block of 256 threads has 256 neighbouring places, or 1,024 where they have few products; their pairs lie side by
//   side. Its threads multiply 2,048 of them at a time, lane by lane, into shared memory, and then each adds those of its own places.
// Shared memory: 2,048 values. Workspace: none; the list is 8 bytes a product and 4 a place (storage/device_products.hpp).
// Sync: the block's barrier after multiplying and after adding.
// Determinism: a place is summed by one thread, in the order of the other kernels: the same bits.
// Cost: pairs once, in streams; two gathers a product, which neighbouring places share; the sums read from shared memory. Distance to
//   the limit: docs/measurements/spgemm.md (SpGEMM on a GPU).
// Why filling again was not enough: hash/fill finds each product's place anew, three to four times the time of the products alone
//   where rows are long.
#pragma once

#include "kernels/cuda/mxm/hash.cuh"
#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {

namespace numeric_detail {

constexpr unsigned block = 256;
constexpr int each = 8;  // products under way together
constexpr unsigned tile = block * each;
/// Products a place, on the mean, below which a thread has four places, so that a tile is filled.
constexpr offset_t few_products = 3;

template <class Cell, int Places>
__global__ void __launch_bounds__(block)
    mxm_numeric_kernel(const std::uint32_t* starts, const uint2* pairs, offset_t places,
                       hash_detail::products<Cell> of, typename Cell::value* values) {
    using V = typename Cell::value;
    __shared__ V staged[tile];
    const offset_t first = static_cast<offset_t>(blockIdx.x) * (block * Places);
    const std::uint32_t begin = __ldg(starts + first),
                        end = __ldg(starts + min(first + block * Places, places));
    std::uint32_t from[Places], to[Places];
    partial<Cell> sum[Places];
#pragma unroll
    for (int m = 0; m < Places; ++m) {
        const offset_t place = first + m * block + threadIdx.x;
        from[m] = __ldg(starts + min(place, places));
        to[m] = __ldg(starts + min(place + 1, places));
    }
    for (offset_t base = begin; base < end; base += tile) {
        uint2 pair[each];
#pragma unroll
        for (int n = 0; n < each; ++n) {
            const offset_t p = base + n * block + threadIdx.x;
            if (p < end) pair[n] = __ldcs(pairs + p);
        }
#pragma unroll
        for (int n = 0; n < each; ++n) {
            const offset_t p = base + n * block + threadIdx.x;
            if (p < end) staged[p - base] = Cell::multiply(of.a(pair[n].x), of.b(pair[n].y), 0, 0);
        }
        __syncthreads();
#pragma unroll
        for (int m = 0; m < Places; ++m) {
            const offset_t stop = min(offset_t{to[m]}, base + tile);
            for (offset_t p = max(offset_t{from[m]}, base); p < stop; ++p) sum[m].add(staged[p - base]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < Places; ++m) {
        const offset_t place = first + m * block + threadIdx.x;
        if (place < places) values[place] = sum[m].value;
    }
}

}  // namespace numeric_detail

/// Semirings whose products are places, not values, have nothing to be filled with.
template <class Cell>
void mxm_numeric(const device_mxm_arguments& k, void* stream) {
    using namespace numeric_detail;
    if (k.places == 0) return;
    const auto launch = [&](auto kernel, int places_a_thread) {
        const offset_t a_block = block * places_a_thread;
        kernel<<<static_cast<unsigned>((k.places + a_block - 1) / a_block), block, 0,
                 static_cast<cudaStream_t>(stream)>>>(
            k.product_starts, static_cast<const uint2*>(k.product_pairs), k.places,
            hash_detail::products<Cell>(k), static_cast<typename Cell::value*>(k.out_values));
    };
    if (k.products < few_products * k.places)
        launch(mxm_numeric_kernel<Cell, 4>, 4);
    else
        launch(mxm_numeric_kernel<Cell, 1>, 1);
    check(cudaGetLastError());
}
template <class Cell>
constexpr device_mxm_kernel mxm_numeric_of() {
    if constexpr (Cell::reads_a || Cell::reads_b)
        return &mxm_numeric<Cell>;
    else
        return nullptr;
}

}  // namespace nz::kernels::cuda
