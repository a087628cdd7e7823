// mxm/column_column: C = A B in matam2012's column-column form: a column of C at a time, columns of A scaled by the entries of
// B's column.
//
// Computes: what row_row does (its strips, in row_row.hpp), with columns for rows: B's columns say which columns of A are
//   added, strips are of C's rows, and multiply takes A's value first though B's came first. The result stands by columns;
//   operations turn it afterwards.
// Who owns what: runs of columns with about as many products each go to whichever thread is free (common_rows.hpp); a
//   column belongs to one thread.
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: the joins after count and fill. Workspace a thread: row_row's, by the longest column of B.
// Cost: row_row's, the columns of A and B where they are not at hand, and C once more to turn it.
// Why it is not the planned one: it is row_row's work, and matrices stand by rows here.
#pragma once

#include "kernels/cpu/mxm/row_row.hpp"

namespace nz::kernels::cpu {

void column_column_count(const mxm_arguments& arguments);

namespace column_column_detail {

/// Sums a strip of a cell's products: arguments.a are B's columns, arguments.b A's.
template <class Cell>
class summed {
public:
    using T = typename Cell::operand;
    using V = typename Cell::value;
    struct scaled {
        T y;
        index_t k;
    };
    summed(const mxm_arguments& k, plan::workspace_parts& parts)
        : k_(k), of_(k), sums_(parts.take<V>(plan::strip_columns)) {
        std::fill_n(sums_, plan::strip_columns, before_first<Cell>());
    }
    void begin_row(index_t j) { place_ = k_.offsets[j]; }
    void end_row(index_t) {}
    scaled scale(index_t, offset_t p, index_t k) const {
        if constexpr (Cell::reads_b) return {of_.a_values[p * of_.a_step], k};
        return {T{}, k};
    }
    [[gnu::always_inline]] void add(const scaled& s, index_t at, offset_t q, bool present) {
        T x{};
        if constexpr (Cell::reads_a) x = of_.b_values[q];
        add_product<Cell>(sums_[at], Cell::multiply(x, s.y, k_.b.columns[q], s.k), present);
    }
    void take(index_t begin, index_t first, bits::word word) {
        for (; word; word &= word - 1) {
            const index_t at = first + std::countr_zero(word);
            of_.out_columns[place_] = begin + at;
            of_.out_values[place_++] = std::exchange(sums_[at], before_first<Cell>());
        }
    }

private:
    const mxm_arguments& k_;
    mxm_operands<Cell> of_;
    V* sums_;
    offset_t place_ = 0;
};

}  // namespace column_column_detail

template <class Cell>
void column_column_fill(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) {
        return row_row_detail::strips<column_column_detail::summed<Cell>>(k, t,
                                                                          sizeof(typename Cell::operand));
    });
}

}  // namespace nz::kernels::cpu
