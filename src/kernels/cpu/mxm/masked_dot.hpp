// mxm/masked_dot: C<M> = A B place by place: the row of A against the column of B for every place that the mask lets
// through (matam2012's row-column form; without a mask or with a complemented one, all places or those it does not list).
//
// Who owns what: runs of rows go to whichever thread is free (common_rows.hpp); a row belongs to one thread.
// Computes: the common numbers k of two ascending lists, step by step while their lengths are alike; where one is many
//   times longer, the shorter one's numbers are searched for in what is left of it.
// Determinism: products of one place are added in the order of k.
// Sync: the joins after count and fill. No workspace; it reads the columns of B.
// Cost: for each place the shorter of both lists' sum and the shorter one times a search; twice, and in the count no
//   further than the first common number. A monoid with a terminal value stops there.
// Why masked_row was not enough: it makes all products of a row, however few places the mask has there.
#pragma once

#include "kernels/cpu/mxm/common_rows.hpp"

#include <algorithm>

namespace nz::kernels::cpu {

void masked_dot_count(const mxm_arguments& arguments);

namespace masked_dot_detail {

// Lists so many times longer are searched: a search of n numbers costs about log n mispredicted branches.
inline constexpr offset_t search_from = 32;

/// Calls f(p, q) for the common numbers, ascending, until it returns false; `swapped`: f(q, p).
template <class F>
void search_common(const index_t* numbers, span_of_row few, const index_t* sorted, span_of_row many, F&& f) {
    const index_t *at = sorted + many.begin, *end = sorted + many.end;
    for (offset_t p = few.begin; p < few.end && at != end; ++p) {
        at = std::lower_bound(at, end, numbers[p]);
        if (at != end && *at == numbers[p] && !f(p, at - sorted)) return;
    }
}
template <class F>
void for_common(const index_t* x, span_of_row a, const index_t* y, span_of_row b, F&& f) {
    if (b.size() > search_from * a.size()) return search_common(x, a, y, b, f);
    if (a.size() > search_from * b.size())
        return search_common(y, b, x, a, [&](offset_t q, offset_t p) { return f(p, q); });
    while (a.begin < a.end && b.begin < b.end) {
        const index_t u = x[a.begin], v = y[b.begin];
        if (u == v && !f(a.begin, b.begin)) return;
        a.begin += u <= v;
        b.begin += v <= u;
    }
}

/// Calls f(j) for the columns of row i that may be written, ascending.
template <class F>
void for_allowed(const mxm_arguments& k, index_t i, F&& f) {
    const span_of_row mask = k.masked ? row_of(k.mask_offsets, i) : span_of_row{0, 0};
    if (k.masked && !k.complement) {
        for (offset_t m = mask.begin; m < mask.end; ++m) f(k.mask_columns[m]);
        return;
    }
    offset_t m = mask.begin;
    for (index_t j = 0; j < k.columns; ++j) {
        if (m < mask.end && k.mask_columns[m] == j)
            ++m;
        else
            f(j);
    }
}

}  // namespace masked_dot_detail

template <class Cell>
void masked_dot_fill(const mxm_arguments& k) {
    using V = typename Cell::value;
    for_runs_of_rows(k, [&](int) {
        return [&k, of = mxm_operands<Cell>(k)](index_t first, index_t last) {
            for (index_t i = first; i < last; ++i) {
                const span_of_row a = row_of(k.a.offsets, i);
                offset_t place = k.offsets[i];
                if (place == k.offsets[i + offset_t{1}]) continue;
                masked_dot_detail::for_allowed(k, i, [&](index_t j) {
                    bool met = false;
                    V sum{};
                    masked_dot_detail::for_common(
                        k.a.columns, a, k.b.columns, row_of(k.b.offsets, j), [&](offset_t p, offset_t q) {
                            const V value = Cell::multiply(of.a(p), of.b(q), i, k.a.columns[p]);
                            sum = met ? Cell::add(sum, value) : value;
                            met = true;
                            return !(Cell::terminates && Cell::terminal(sum));
                        });
                    if (!met) return;
                    of.out_columns[place] = j;
                    of.out_values[place++] = sum;
                });
            }
        };
    });
}

}  // namespace nz::kernels::cpu
