// mxm_dia/stored: C = A B of matrices stored by diagonals (matam2012, Algorithm 3).
//
// Computes: diagonal d of A times diagonal e of B is added to diagonal d + e of C, for many rows at a time: rows are the lanes of the
//   vector unit. The paper adds a pair of diagonals at a time, over all rows; here all pairs of a diagonal of C are added up in
//   eight registers of rows, so that C is written once and not read.
// Who owns what: 128 rows at a time to whichever thread is free, so that what they read of A and B (21 diagonals: 46 KB of doubles) stays
//   in the cache next to the core while the diagonals of C are gone through.
// Rows in which some pair has no product (the ends, where diagonals leave the matrix) are added one by one; places of C without any
//   become 0 and are no entries.
// Determinism: products of one place are added in the order of A's diagonals, which is that of k. Sync: the join at the end.
// Cost: A, B and C once; per product two loads over the vector's width.
// Why mxm/dia_dia was not enough: it takes CSR and makes CSR, 4 bytes for each column and every value turned twice.
#pragma once

#include "core/parallel.hpp"
#include "core/registers.hpp"
#include "kernels/mxm_dia_arguments.hpp"

#include <algorithm>
#include <array>

namespace nz::kernels::cpu {

namespace mxm_dia_detail {

inline constexpr index_t tile_rows = 128;

template <class Cell>
class adder {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;
    /// Rows at a time: their sums fill eight registers, half of those that most processors have.
    static constexpr index_t lanes =
        std::min<index_t>(tile_rows, 8 * register_bytes / static_cast<index_t>(sizeof(V)));

    explicit adder(const mxm_dia_arguments& k)
        : k_(k), a_(static_cast<const T*>(k.a)), b_(static_cast<const T*>(k.b)) {}

    void operator()(index_t first, index_t last) const {
        for (index_t c = 0; c < k_.c_diagonals; ++c) {
            const dia_sum& sum = k_.sums[c];
            V* const out = static_cast<V*>(k_.c) + c * k_.c_stride;
            const index_t begin = std::clamp(sum.full_first, first, last),
                          end = std::clamp(sum.full_last, begin, last);
            const index_t vectors = begin + (end - begin) / lanes * lanes;
            for (index_t i = first; i < begin; ++i) out[i] = add_row(sum, i);
            for (index_t i = begin; i < vectors; i += lanes) add_rows(sum, i, out + i);
            for (index_t i = vectors; i < last; ++i) out[i] = add_row(sum, i);
        }
    }

private:
    V product(const dia_pair& p, index_t i) const {
        T x{}, y{};
        if constexpr (Cell::reads_a) x = a_[p.a * k_.a_stride + i];
        if constexpr (Cell::reads_b) y = b_[p.b * k_.b_stride + i + p.shift];
        return Cell::multiply(x, y, i, i + p.shift);
    }
    V add_row(const dia_sum& s, index_t i) const {
        V sum{};
        bool begun = false;
        for (index_t n = s.pairs_begin; n < s.pairs_end; ++n) {
            const dia_pair& p = k_.pairs[n];
            if (i < p.first || i >= p.last || (begun && Cell::first_wins)) continue;
            sum = begun ? Cell::add(sum, product(p, i)) : product(p, i);
            begun = true;
        }
        return sum;
    }
    void add_rows(const dia_sum& s, index_t i, V* out) const {
        std::array<V, lanes> sums;
        multiply(k_.pairs[s.pairs_begin], i, [&](std::size_t lane, V x) { sums[lane] = x; });
        if constexpr (!Cell::first_wins)
            for (index_t n = s.pairs_begin + 1; n < s.pairs_end; ++n)
                multiply(k_.pairs[n], i,
                         [&](std::size_t lane, V x) { sums[lane] = Cell::add(sums[lane], x); });
        std::copy(sums.begin(), sums.end(), out);
    }
    template <class Put>
    [[gnu::always_inline]] void multiply(const dia_pair& p, index_t i, Put&& put) const {
        const T* x = nullptr;
        const T* y = nullptr;
        if constexpr (Cell::reads_a) x = a_ + p.a * k_.a_stride + i;
        if constexpr (Cell::reads_b) y = b_ + p.b * k_.b_stride + i + p.shift;
        for (index_t lane = 0; lane < lanes; ++lane) {
            T u{}, v{};
            if constexpr (Cell::reads_a) u = x[lane];
            if constexpr (Cell::reads_b) v = y[lane];
            put(static_cast<std::size_t>(lane), Cell::multiply(u, v, i + lane, i + lane + p.shift));
        }
    }

    const mxm_dia_arguments& k_;
    const T *a_, *b_;
};

}  // namespace mxm_dia_detail

template <class Cell>
void mxm_dia_stored(const mxm_dia_arguments& k) {
    const mxm_dia_detail::adder<Cell> add(k);
    parallel::for_chunks(k.threads, k.rows, mxm_dia_detail::tile_rows, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; i += mxm_dia_detail::tile_rows)
            add(static_cast<index_t>(i), static_cast<index_t>(std::min(last, i + mxm_dia_detail::tile_rows)));
    });
}

}  // namespace nz::kernels::cpu
