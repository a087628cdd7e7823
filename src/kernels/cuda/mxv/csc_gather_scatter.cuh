// mxv/csc_gather_scatter on a GPU: products go straight to a dense result by atomic operations, nothing is sorted
// (yang2015, "no sort").
//
// Memory: the dense result is filled with the monoid's identity first, n values, or, where products are few, the rows
//   that they go to, by a gather of its own. `any` keeps for each row the first
//   product's number (atomicMin), 4 bytes a row, and a second gather writes the values of those.
// Determinism: sums of floating-point numbers depend on timing, so the strict contract refuses plus on them; all
//   other monoids give the same bits in any order (min and max of zeros of both signs by a rule of their own).
// Cost: products atomics, at the rate that the result's size allows, and n values written.
#pragma once

#include "algebra/before_first.hpp"
#include "kernels/cuda/mxv/common_gather.cuh"
#include "kernels/phases.hpp"

#include <cuda/std/bit>

namespace nz::kernels::cuda {

/// add(x, y), the same bits in either order: of two zeros min takes -0 and max 0, of two NaN either takes the one of fewer bits.
template <class Cell>
__device__ typename Cell::value joined(typename Cell::value x, typename Cell::value y) {
    using V = typename Cell::value;
    constexpr bool least = Cell::add_id == binary_id::min, greatest = Cell::add_id == binary_id::max;
    if constexpr (std::is_floating_point_v<V> && (least || greatest)) {
        using U = std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>;
        if (x == y) return signbit(x) == least ? x : y;
        if (x != x && y != y) return ::cuda::std::bit_cast<U>(x) < ::cuda::std::bit_cast<U>(y) ? x : y;
    }
    return Cell::add(x, y);
}
/// *at = add(*at, x).
template <class Cell>
__device__ void atomic_add_to(typename Cell::value* at, typename Cell::value x) {
    using V = typename Cell::value;
    if constexpr (sizeof(V) == 1) {  // truth: all that is ever written is true
        static_assert(Cell::add_id == binary_id::lor || Cell::add_id == binary_id::any);
        if (x) *at = true;
    } else {
        using U = std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>;
        if constexpr (Cell::add_id == binary_id::plus && std::is_floating_point_v<V>) {
            atomicAdd(at, x);
        } else if constexpr (Cell::add_id == binary_id::plus) {
            atomicAdd(reinterpret_cast<U*>(at), static_cast<U>(x));
        } else {
            auto* word = reinterpret_cast<U*>(at);
            for (U old = *word;;) {
                const V before = ::cuda::std::bit_cast<V>(old), after = joined<Cell>(before, x);
                const U wanted = ::cuda::std::bit_cast<U>(after);
                if (wanted == old) return;
                const U seen = atomicCAS(word, old, wanted);
                if (seen == old) return;
                old = seen;
            }
        }
    }
}
__device__ inline void mark(std::uint32_t* present, index_t row) {
    const std::uint32_t bit = 1u << row % 32;
    if (!(fresh(present[row / 32]) & bit)) atomicOr(present + row / 32, bit);
}

template <class Cell>
struct scatter_sum {
    typename Cell::value* out;
    std::uint32_t* present;
    index_t rows;
    __device__ void operator()(offset_t, index_t row, typename Cell::value x) const {
        if (row >= rows) return;
        atomic_add_to<Cell>(out + row, x);
        mark(present, row);
    }
};
template <class Cell>
struct scatter_owner {
    std::uint32_t* owner;
    index_t rows;
    __device__ void operator()(offset_t p, index_t row, typename Cell::value) const {
        if (row < rows && fresh(owner[row]) > static_cast<std::uint32_t>(p))
            atomicMin(owner + row, static_cast<std::uint32_t>(p));
    }
};
template <class Cell>
struct scatter_first {
    typename Cell::value* out;
    std::uint32_t* present;
    const std::uint32_t* owner;
    index_t rows;
    __device__ void operator()(offset_t p, index_t row, typename Cell::value x) const {
        if (row >= rows || owner[row] != static_cast<std::uint32_t>(p)) return;
        out[row] = x;
        mark(present, row);
    }
};

template <class Cell>
struct scatter_start {
    typename Cell::value* out;
    index_t rows;
    __device__ void operator()(offset_t, index_t row, typename Cell::value) const {
        if (row < rows) out[row] = algebra::before_first<Cell>();
    }
};
template <class Cell>
__global__ void __launch_bounds__(gather_block) fill_start_kernel(typename Cell::value* out, index_t rows) {
    const offset_t i = offset_t{blockIdx.x} * gather_block + threadIdx.x;
    if (i < rows) out[i] = algebra::before_first<Cell>();
}

template <class Cell>
void csc_gather_scatter(const device_mxv_arguments& a, void* stream) {
    phase_watch::mark(phase::begin);
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    auto* out = static_cast<typename Cell::value*>(c.out_values);
    auto* present = reinterpret_cast<std::uint32_t*>(c.out_present);
    check(cudaMemsetAsync(present, 0, static_cast<std::size_t>(half_words(c.output_size)) * 4, on));
    if constexpr (Cell::first_wins) {
        auto* owner = static_cast<std::uint32_t*>(c.workspace);
        check(cudaMemsetAsync(owner, 0xff, static_cast<std::size_t>(c.output_size) * 4, on));
        phase_watch::mark(phase::common);
        gather<Cell>(a, scatter_owner<Cell>{owner, c.output_size}, stream);
        gather<Cell>(a, scatter_first<Cell>{out, present, owner, c.output_size}, stream);
    } else {
        // Few products: only where they go.
        if (a.products < c.output_size / 8)
            gather<Cell>(a, scatter_start<Cell>{out, c.output_size}, stream);
        else
            fill_start_kernel<Cell>
                <<<blocks_for(c.output_size, gather_block), gather_block, 0, on>>>(out, c.output_size);
        phase_watch::mark(phase::common);
        gather<Cell>(a, scatter_sum<Cell>{out, present, c.output_size}, stream);
    }
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cuda
