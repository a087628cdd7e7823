// Rows of A times tiles of B's columns: the sums of one row and one tile stay in registers while the row's entries go by.
// Shared by the kernels of mxd.
#pragma once

#include "algebra/cell.hpp"
#include "kernels/mxd_arguments.hpp"
#include "plan/mxd_workspace.hpp"

#include <algorithm>

namespace nz::kernels::cpu {

/// Bytes of a tile's sums: 8 of 16 registers of 32 bytes, the others for products.
inline constexpr int tile_bytes = 256;
/// Rows whose tiles are gathered before they are written to a C by columns: 8 doubles or 16 floats share a line.
inline constexpr index_t rows_gathered = 16;

/// Calls f(integral_constant width, first column) over all columns: tiles of `Width`, then halves of it for the rest.
template <int Width, class F>
[[gnu::always_inline]] inline void for_each_tile(index_t columns, F&& f, index_t from = 0) {
    for (; from + Width <= columns; from += Width) f(std::integral_constant<int, Width>{}, from);
    if constexpr (Width > 1) for_each_tile<Width / 2>(columns, f, from);
}

/// `Contiguous`: neighbours in a row of B are neighbours in memory.
template <class Cell, bool Contiguous>
class tile_reader {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int width = tile_bytes / static_cast<int>(sizeof(V));

    explicit tile_reader(const mxd_arguments& a)
        : a_(a),
          values_(static_cast<const T*>(a.values)),
          b_(static_cast<const T*>(a.b)),
          c_(static_cast<V*>(a.c)) {}

    /// out[t] = sum over positions [begin, end), not empty, of A(i, k) x B(k, j + t), in their order; added to what is
    /// there with `adds`.
    template <int W>
    [[gnu::always_inline]] void sum(offset_t begin, offset_t end, index_t j, bool adds, V* out) const {
        V total[W];
        const T* const b = b_ + j * (Contiguous ? 1 : a_.b_column_step);
        {
            const T x = value(begin);
            const T* const row = b + a_.indices[begin] * a_.b_row_step;
#pragma omp simd
            for (int t = 0; t < W; ++t) total[t] = product(x, row, t);
        }
        for (offset_t p = begin + 1; p < end; ++p) {
            // Holds gcc 12 from vectorising over pairs of entries, with gathers, in place of columns.
            asm volatile("");
            const T x = value(p);
            const T* const row = b + a_.indices[p] * a_.b_row_step;
#pragma omp simd
            for (int t = 0; t < W; ++t) total[t] = Cell::add(total[t], product(x, row, t));
        }
        if (adds) {
#pragma omp simd
            for (int t = 0; t < W; ++t) out[t] = Cell::add(out[t], total[t]);
        } else {
#pragma omp simd
            for (int t = 0; t < W; ++t) out[t] = total[t];
        }
    }

    /// The sums of all columns over positions [begin, end), not empty, to out[columns].
    void whole_row(offset_t begin, offset_t end, bool adds, V* out) const {
        for_each_tile<width>(
            a_.columns, [&](auto w, index_t j) { sum<decltype(w)::value>(begin, end, j, adds, out + j); });
    }

    /// C's rows [first, last).
    void rows(index_t first, index_t last) const {
        if (a_.c_column_step == 1)
            rows_by_rows(first, last);
        else
            rows_by_columns(first, last);
    }

    /// C's row i from sums that were made elsewhere.
    void store(index_t i, const V* sums) const {
        V* const row = c_ + i * a_.c_row_step;
        for (index_t j = 0; j < a_.columns; ++j) {
            V& at = row[j * a_.c_column_step];
            at = a_.accumulates ? Cell::add(at, sums[j]) : sums[j];
        }
    }

private:
    static constexpr V empty_sum = algebra::identity_of<Cell::add_id, V>();

    T value(offset_t p) const {
        if constexpr (Cell::reads_a)
            return values_[p * a_.a_step];
        else
            return T{};
    }
    V product(T x, const T* row, int t) const {
        return Cell::multiply(x, row[t * (Contiguous ? 1 : a_.b_column_step)], 0, 0);
    }

    void rows_by_rows(index_t first, index_t last) const {
        offset_t begin = a_.offsets[first];
        for (index_t i = first; i < last; ++i) {
            const offset_t end = a_.offsets[i + offset_t{1}];
            V* const out = c_ + i * a_.c_row_step;
            if (begin < end)
                whole_row(begin, end, a_.accumulates, out);
            else if (!a_.accumulates)
                std::fill_n(out, a_.columns, empty_sum);
            begin = end;
        }
    }

    // A row's tile would touch a line for each column: the tiles of several rows are gathered, then written by columns.
    void rows_by_columns(index_t first, index_t last) const {
        for (index_t i = first; i < last; i += rows_gathered) {
            const index_t end = std::min<index_t>(last, i + rows_gathered);
            for_each_tile<width>(a_.columns,
                                 [&](auto w, index_t j) { gathered_tile<decltype(w)::value>(i, end, j); });
        }
    }
    template <int W>
    [[gnu::always_inline]] void gathered_tile(index_t first, index_t last, index_t j) const {
        alignas(64) V sums[rows_gathered][W];
        offset_t begin = a_.offsets[first];
        for (index_t i = first; i < last; ++i) {
            const offset_t end = a_.offsets[i + offset_t{1}];
            if (begin < end)
                sum<W>(begin, end, j, false, sums[i - first]);
            else
                std::fill_n(sums[i - first], W, empty_sum);
            begin = end;
        }
        for (int t = 0; t < W; ++t) {
            V* const out = c_ + (j + t) * a_.c_column_step;
            for (index_t i = first; i < last; ++i) {
                if (!a_.accumulates)
                    out[i] = sums[i - first][t];
                else if (a_.offsets[i] < a_.offsets[i + offset_t{1}])
                    out[i] = Cell::add(out[i], sums[i - first][t]);
            }
        }
    }

    const mxd_arguments& a_;
    const T* values_;
    const T* b_;
    V* c_;
};

/// Calls f.template operator()<Contiguous>() for how B lies.
template <class F>
void with_layout(const mxd_arguments& a, F&& f) {
    if (a.b_column_step == 1)
        f.template operator()<true>();
    else
        f.template operator()<false>();
}

/// Parts that the work is cut into.
inline int mxd_parts(const mxd_arguments& a) {
    return (a.nnz + a.rows) * a.columns < plan::mxd_serial_below ? 1 : a.threads;
}

}  // namespace nz::kernels::cpu
