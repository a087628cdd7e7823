// What the gathers of yang2015 share on a GPU: the products of the columns that u lists, and the sums of products that
// stand sorted by row.
#pragma once

#include "kernels/cuda/mxv/common_row.cuh"
#include "kernels/cuda/mxv/common_sort.hpp"
#include "plan/mxv_workspace.hpp"

#include <bit>

namespace nz::kernels::cuda {

constexpr unsigned gather_block = 256;
constexpr int gather_turns = 8;  // products a thread

/// Whether the products of a cell are all the same and need not be moved.
template <class Cell>
constexpr bool one_product = Cell::multiply_id == binary_id::pair;

struct gather_view {
    device_offsets offsets;
    const index_t* indices;
    const void* values;
    bool constant;
    const index_t* listed;
    const void* u;
    const offset_t* starts;
    offset_t columns, products;
    const std::uint32_t* mask;
    bool complement;
    index_t rows;
};
inline gather_view view_of(const device_mxv_arguments& a) {
    const mxv_arguments& c = a.common;
    return {{c.offsets.data, c.offsets.wide},
            c.indices,
            c.values,
            c.constant,
            c.u_indices,
            c.u_values,
            a.starts,
            c.u_count,
            a.products,
            reinterpret_cast<const std::uint32_t*>(c.mask),
            c.complement,
            c.output_size};
}

/// The last k in [low, high) with starts[k] <= p.
__device__ inline offset_t column_of(const offset_t* starts, offset_t low, offset_t high, offset_t p) {
    while (high - low > 1) {
        const offset_t middle = low + (high - low) / 2;
        if (starts[middle] <= p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Forms every product, a block taking as many as the others whatever the columns' lengths: sink(p, row, value), row =
/// rows where the mask does not let it through.
template <class Cell, class Sink>
__global__ void __launch_bounds__(gather_block) gather_kernel(gather_view g, Sink sink) {
    using T = typename Cell::operand;
    __shared__ offset_t bounds[2];
    const offset_t from = offset_t{blockIdx.x} * gather_block * gather_turns;
    const offset_t last = min(from + gather_block * gather_turns, g.products) - 1;
    if (threadIdx.x < 2) bounds[threadIdx.x] = column_of(g.starts, 0, g.columns, threadIdx.x ? last : from);
    __syncthreads();
    const offset_t low = bounds[0], high = bounds[1] + 1;
    for (offset_t p = from + threadIdx.x; p <= last; p += gather_block) {
        const offset_t at = column_of(g.starts, low, high, p);
        const index_t j = g.listed[at];
        const offset_t k = g.offsets[j] + (p - g.starts[at]);
        const index_t i = g.indices[k];
        const bool allowed = !g.mask || (bit_of(g.mask, i) != g.complement);
        T x{}, y{};
        if constexpr (Cell::reads_a) x = static_cast<const T*>(g.values)[g.constant ? 0 : k];
        if constexpr (Cell::reads_b) y = static_cast<const T*>(g.u)[at];
        sink(p, allowed ? i : g.rows, Cell::multiply(x, y, i, j));
    }
}
template <class Cell, class Sink>
void gather(const device_mxv_arguments& a, const Sink& sink, void* stream) {
    gather_kernel<Cell><<<blocks_for(a.products, gather_block * gather_turns), gather_block, 0,
                          static_cast<cudaStream_t>(stream)>>>(view_of(a), sink);
    check(cudaGetLastError());
}

template <class Cell>
struct store_products {
    std::uint32_t* keys;
    typename Cell::value* values;
    __device__ void operator()(offset_t p, index_t row, typename Cell::value x) const {
        keys[p] = static_cast<std::uint32_t>(row);
        if constexpr (!one_product<Cell>) values[p] = x;
    }
};

/// Memory for products that are to be sorted, taken from the workspace in the order that the plan counted.
template <class Cell>
struct product_memory {
    sorted_pairs pairs;
    std::int32_t* heads;
    std::int32_t* found;
    void* temporary;

    explicit product_memory(const device_mxv_arguments& a) {
        plan::workspace_parts memory(a.common.workspace);
        using V = typename Cell::value;
        for (auto& keys : pairs.keys) keys = memory.take<std::uint32_t>(a.products);
        for (auto& values : pairs.values) values = memory.take<V>(a.products);
        pairs.value_bytes = one_product<Cell> ? 0 : sizeof(V);
        pairs.count = a.products;
        found = memory.take<std::int32_t>(1);
        temporary = memory.take<std::byte>(static_cast<offset_t>(a.sort_bytes));
        heads = reinterpret_cast<std::int32_t*>(pairs.keys[1]);  // free once the keys are sorted
    }
};

/// heads[k], and the end of all after the last.
struct segment_starts {
    const std::int32_t* heads;
    std::int32_t found, count;
    __device__ offset_t operator[](offset_t k) const { return k < found ? heads[k] : count; }
};
template <class Cell>
struct product_reader {
    const typename Cell::value* values;
    __device__ void accumulate(partial<Cell>& sum, index_t, offset_t k) const {
        if constexpr (one_product<Cell>)
            sum.add(typename Cell::value(1));
        else
            sum.add(values[k]);
    }
};

/// A warp sums 32 runs of equal keys. The last run may be of products that the mask kept out.
template <class Cell>
__global__ void __launch_bounds__(gather_block)
    gather_sum_kernel(const std::uint32_t* keys, const typename Cell::value* values,
                      const std::int32_t* heads, const std::int32_t* found, std::int32_t products,
                      index_t rows, index_t* out_indices, typename Cell::value* out, offset_t* out_count) {
    const std::int32_t segments = *found;
    const auto first = static_cast<index_t>((blockIdx.x * gather_block + threadIdx.x) / 32 * 32);
    if (first >= segments) return;
    const index_t s = first + static_cast<index_t>(threadIdx.x % 32);
    const auto sum =
        sum_rows<Cell>(product_reader<Cell>{values}, segment_starts{heads, segments, products}, first,
                       allowed_word(nullptr, false, segments, first / 32), false, offset_t{products});
    if (s >= segments) return;
    const auto row = static_cast<index_t>(keys[heads[s]]);
    if (row < rows) {
        out_indices[s] = row;
        out[s] = sum.value;
    }
    if (s == segments - 1) *out_count = segments - (row >= rows);
}

/// From sorted products to the sparse result.
template <class Cell>
void sum_sorted(const device_mxv_arguments& a, const product_memory<Cell>& m, void* stream) {
    using V = typename Cell::value;
    find_heads(m.pairs.keys[0], a.products, m.heads, m.found, m.temporary, a.sort_bytes, stream);
    const offset_t most = min(a.products, static_cast<offset_t>(a.common.output_size) + 1);
    gather_sum_kernel<Cell>
        <<<blocks_for(most, gather_block), gather_block, 0, static_cast<cudaStream_t>(stream)>>>(
            m.pairs.keys[0], static_cast<const V*>(m.pairs.values[0]), m.heads, m.found,
            static_cast<std::int32_t>(a.products), a.common.output_size, a.common.out_indices,
            static_cast<V*>(a.common.out_values), a.common.out_count);
    check(cudaGetLastError());
}

/// Bits of the keys 0 ... rows.
inline int key_bits(index_t rows) { return std::bit_width(static_cast<std::uint32_t>(rows)); }

}  // namespace nz::kernels::cuda
