// Repeats among sorted coordinates on a GPU combined: those of a place are neighbours in input order. Beginnings of rows are a bit
// each, beginnings of places are counted up (CUB's scan), and a thread combines those of one place: a place that very many
// coordinates name is one thread's work.
#pragma once

#include "algebra/functors.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_csr.hpp"
#include "storage/device_passes.cuh"

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace nz::storage::device_combine {

using device_passes::lanes, device_passes::offsets_out, device_passes::reader, device_passes::thread_number;

__global__ void mark_rows_kernel(reader offsets, index_t rows, unsigned* bits) {
    const offset_t i = thread_number();
    if (i >= rows || offsets[i] == offsets[i + 1]) return;
    atomicOr(bits + offsets[i] / lanes, 1u << offsets[i] % lanes);
}
struct begins_place {
    const index_t* columns;
    const unsigned* rows;  // a bit where a row begins
    __device__ unsigned operator()(offset_t k) const {
        return k == 0 || columns[k] != columns[k - 1] || (rows[k / lanes] >> k % lanes & 1);
    }
};
/// Where places begin, of which `up_to` counts them, and their columns.
__global__ void place_heads_kernel(begins_place begins, const unsigned* up_to, offset_t count,
                                   unsigned* heads, index_t* columns) {
    const offset_t k = thread_number();
    if (k >= count || !begins(k)) return;
    heads[up_to[k] - 1] = static_cast<unsigned>(k);
    columns[up_to[k] - 1] = begins.columns[k];
}
__global__ void place_rows_kernel(reader offsets, index_t rows, const unsigned* up_to, offsets_out out) {
    const offset_t i = thread_number();
    if (i > rows) return;
    const offset_t at = offsets[i];
    out.put(i, at == 0 ? 0 : up_to[at - 1]);
}
/// The last place's end is `count`.
template <class T, binary_id Op>
__global__ void place_values_kernel(const unsigned* heads, offset_t entries, offset_t count, const T* values,
                                    bool one_value, T* out) {
    const offset_t k = thread_number();
    if (k >= entries) return;
    const offset_t begin = heads[k], end = k + 1 < entries ? offset_t{heads[k + 1]} : count;
    const auto value = [&](offset_t n) { return values[one_value ? 0 : n]; };
    if constexpr (Op == binary_id::first) {
        out[k] = value(begin);
    } else if constexpr (Op == binary_id::second) {
        out[k] = value(end - 1);
    } else {
        T sum = value(begin);
        for (offset_t n = begin + 1; n < end; ++n) sum = algebra::binary<Op>(sum, value(n));
        out[k] = sum;
    }
}

/// Calls f with the operator, where a GPU has it.
template <class F>
bool with_operator(binary_id op, F&& f) {
    using enum binary_id;
    const auto among = [&]<binary_id... Op>() {
        return ((op == Op && (f(std::integral_constant<binary_id, Op>{}), true)) || ...);
    };
    if (op == any) op = first;
    return among.template operator()<plus, times, min, max, first, second>();
}

inline void combine_values(const context& gpu, binary_id op, dtype type, const unsigned* heads,
                           offset_t entries, offset_t count, const void* values, bool one_value, void* out) {
    with_operator(op, [&]<binary_id Op>(std::integral_constant<binary_id, Op>) {
        const auto place = [&]<class T>(std::type_identity<T>) {
            place_values_kernel<T, Op><<<device_passes::blocks_for(entries), device_passes::threads, 0,
                                         device_passes::stream_of(gpu)>>>(
                heads, entries, count, static_cast<const T*>(values), one_value, static_cast<T*>(out));
        };
        if constexpr (Op == binary_id::first || Op == binary_id::second)
            by_width(size_of(type), place);
        else
            dispatch(type, place);
    });
    check(cudaGetLastError());
}

inline buffer padded_columns(const context& gpu, offset_t entries) {
    buffer columns(gpu.device_memory(), static_cast<std::size_t>(entries) * sizeof(index_t) + index_padding);
    gpu.gpu()->fill(columns.as<index_t>() + entries, 0, index_padding);
    return columns;
}
inline buffer room_for_offsets(const context& gpu, index_t rows, offset_t entries) {
    const offset_t lines = offset_t{rows} + 1;
    return offset_bytes_for(entries) == 8 ? device_passes::take<std::int64_t>(gpu, lines)
                                          : device_passes::take<std::int32_t>(gpu, lines);
}

/// `a` has all coordinates sorted, values unless one serves all; the result has `entries` places.
inline device_assembled combined(const context& gpu, const device_tuples& t, const device_assembled& a,
                                 offset_t entries, binary_id duplicates) {
    using device_passes::blocks_for, device_passes::take, device_passes::threads;
    const auto on = device_passes::stream_of(gpu);
    const reader offsets{a.offsets.data(), offset_bytes_for(t.count) == 8};
    const buffer bits = take<unsigned>(gpu, t.count / lanes + 1), up_to = take<unsigned>(gpu, t.count),
                 heads = take<unsigned>(gpu, entries);
    gpu.gpu()->fill(bits.data(), 0, bits.bytes());
    mark_rows_kernel<<<blocks_for(t.rows), threads, 0, on>>>(offsets, t.rows, bits.as<unsigned>());
    check(cudaGetLastError());
    const begins_place begins{a.indices.as<const index_t>(), bits.as<const unsigned>()};
    device_passes::with_temporary(gpu, [&](void* memory, std::size_t& bytes) {
        const auto from = thrust::make_transform_iterator(thrust::counting_iterator<offset_t>(0), begins);
        return cub::DeviceScan::InclusiveSum(memory, bytes, from, up_to.as<unsigned>(), t.count, on);
    });
    device_assembled c;
    c.nnz = entries;
    c.offsets = room_for_offsets(gpu, t.rows, entries);
    c.indices = padded_columns(gpu, entries);
    c.values = buffer(gpu.device_memory(), static_cast<std::size_t>(entries) * size_of(t.type));
    place_heads_kernel<<<blocks_for(t.count), threads, 0, on>>>(
        begins, up_to.as<const unsigned>(), t.count, heads.as<unsigned>(), c.indices.as<index_t>());
    check(cudaGetLastError());
    place_rows_kernel<<<blocks_for(offset_t{t.rows} + 1), threads, 0, on>>>(
        offsets, t.rows, up_to.as<const unsigned>(), {c.offsets.data(), offset_bytes_for(entries) == 8});
    check(cudaGetLastError());
    const void* values = t.one_value ? t.values : a.values.data();
    combine_values(gpu, duplicates, t.type, heads.as<const unsigned>(), entries, t.count, values, t.one_value,
                   c.values.data());
    return c;
}

}  // namespace nz::storage::device_combine
