// sddmm/row_dot: T(i,j) = X(i,:) Y(:,j) at given places, a dot product for each (sampled dense-dense product).
//
// Computes: for each place, 8 partial sums of doubles (16 of floats) over k, joined pairwise, then what is left of k.
// Who owns what: a thread owns a contiguous range of places, as many as the others; rows are split where it falls. Every
//   result has one writer. No synchronisation but the join.
// Memory: places and results once; a row of X stays in the first cache for its places; a column of Y for each place, from
//   cache where places of neighbouring rows are near. The plan has X packed by rows and Y by columns where they lie otherwise
//   and are met often enough, in the call's workspace; else they are read in place with steps. The kernel has no workspace.
// Determinism: the order of a sum depends on the number of its products alone.
// Cost: places * inner products.
// Distance to the limit: not measured against one; the reference is an indirect call a product.
// Why the product of X and Y under a mask was not enough: mxm reads sparse operands, an index for each value, and searches
//   the mask.
#pragma once

#include "algebra/cell.hpp"
#include "core/parallel.hpp"
#include "kernels/sddmm_arguments.hpp"

namespace nz::kernels::cpu {

namespace row_dot_detail {

/// The sum over k of x[k * x_step] x y[k * y_step].
template <class Cell, bool Contiguous>
struct dot {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int lanes = 64 / static_cast<int>(sizeof(V));

    index_t inner;
    offset_t x_step, y_step;

    V product(const T* x, const T* y, index_t k) const {
        if constexpr (Contiguous)
            return Cell::multiply(x[k], y[k], 0, 0);
        else
            return Cell::multiply(x[k * x_step], y[k * y_step], 0, 0);
    }
    V operator()(const T* x, const T* y) const {
        index_t k = 0;
        V total{};
        if (inner >= lanes) {
            V part[lanes];
#pragma omp simd
            for (int l = 0; l < lanes; ++l) part[l] = product(x, y, l);
            for (k = lanes; k + lanes <= inner; k += lanes) {
                asm volatile("");  // lanes are vectorised, not steps
#pragma omp simd
                for (int l = 0; l < lanes; ++l) part[l] = Cell::add(part[l], product(x, y, k + l));
            }
            for (int half = lanes / 2; half > 0; half /= 2)
                for (int l = 0; l < half; ++l) part[l] = Cell::add(part[l], part[l + half]);
            total = part[0];
        } else {
            total = product(x, y, k++);
        }
        for (; k < inner; ++k) total = Cell::add(total, product(x, y, k));
        return total;
    }
};

template <class Cell, bool Contiguous>
void places(const sddmm_arguments& a, offset_t begin, offset_t end) {
    using T = typename Cell::operand;
    const dot<Cell, Contiguous> sum{a.inner, a.x_step, a.y_step};
    auto* const out = static_cast<typename Cell::value*>(a.out_values);
    offset_t low = 0, high = a.rows;  // the row that holds place `begin`
    while (low < high) {
        const offset_t mid = (low + high) / 2;
        if (a.offsets[mid + 1] <= begin)
            low = mid + 1;
        else
            high = mid;
    }
    for (offset_t i = low; begin < end; ++i) {
        const offset_t stop = std::min(end, a.offsets[i + 1]);
        const T* const x = static_cast<const T*>(a.x) + i * a.x_row_step;
        for (; begin < stop; ++begin)
            out[begin] = sum(x, static_cast<const T*>(a.y) + a.indices[begin] * a.y_column_step);
    }
}

}  // namespace row_dot_detail

template <class Cell>
void sddmm_row_dot(const sddmm_arguments& a) {
    // Products below which a second thread costs more than it brings.
    constexpr offset_t serial_below = 32768;
    parallel::run(a.nnz * a.inner < serial_below ? 1 : a.threads, [&](int t, int parts) {
        const auto [begin, end] = parallel::piece(a.nnz, t, parts);
        if (begin == end) return;
        if (a.x_step == 1 && a.y_step == 1)
            row_dot_detail::places<Cell, true>(a, begin, end);
        else
            row_dot_detail::places<Cell, false>(a, begin, end);
    });
}

}  // namespace nz::kernels::cpu
