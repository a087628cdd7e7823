// The values of both sides of a product, as mxm/hash, masked_row and masked_dot read and add them.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "kernels/cuda/mxm/common_rows.cuh"

namespace nz::kernels::cuda {

namespace hash_detail {

/// The values of both sides, and what becomes of a product.
template <class Cell>
struct products {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    const T *a_values, *b_values;
    int a_step, b_step;

    products(const device_mxm_arguments& k)
        : a_values(static_cast<const T*>(k.a.values)),
          b_values(static_cast<const T*>(k.b.values)),
          a_step(static_cast<int>(k.a_step)),
          b_step(static_cast<int>(k.b_step)) {}

    __device__ T a(offset_t p) const {
        if constexpr (Cell::reads_a) return read_only(a_values + p * a_step);
        return T{};
    }
    __device__ T b(offset_t q) const {
        if constexpr (Cell::reads_b) return read_only(b_values + q * b_step);
        return T{};
    }
    /// A's entry p and after.
    struct row_of_a {
        const T* values;
        int step;

        __device__ T value(int at) const {
            if constexpr (Cell::reads_a) return read_only(values + at * step);
            return T{};
        }
    };
    __device__ row_of_a row(offset_t p) const { return {a_values + p * a_step, a_step}; }
    /// Where the first product wins, entries are gone through from the last, and the last to come stays.
    static constexpr bool backwards = Cell::first_wins;
    /// Entry q and after.
    struct row_of_b {
        const index_t* columns;
        const T* values;
        int step;

        __device__ index_t column(int at) const { return __ldg(columns + at); }
        __device__ T value(int at) const {
            if constexpr (Cell::reads_b) return read_only(values + at * step);
            return T{};
        }
    };
    __device__ row_of_b from(const index_t* columns, offset_t q) const {
        return {columns + q, b_values + q * b_step, b_step};
    }
    __device__ static T read_only(const T* at) {
        if constexpr (std::is_same_v<T, bool>)  // of which the device has no such load
            return *at;
        else
            return __ldg(at);
    }
    __device__ static void add(V& sum, V product) {
        if constexpr (Cell::first_wins)
            sum = product;
        else
            sum = Cell::add(sum, product);
    }
    __device__ static V nothing() {
        if constexpr (Cell::first_wins) return V{};
        return algebra::before_first<Cell>();
    }
};

}  // namespace hash_detail

}  // namespace nz::kernels::cuda
