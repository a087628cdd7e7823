// mxm/row_row: C = A B in matam2012's row-row form (Algorithm 1): a row at a time with accumulators of a bounded width.
//
// Computes: row i as the sum of B's rows k scaled by A(i,k), one strip of columns after the other. In a strip only a
//   strip's worth of sums is held (the paper's PartialOutput) and a bit for each (its NonZeroIndices); every entry of
//   A's row keeps its place in its row of B. Strips in which no row of B has an entry are passed over.
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a row
//   belongs to one thread.
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: the joins after count and fill. Workspace a thread: a strip, and two positions for each entry of the longest row
//   of A: it does not grow with the columns.
// Cost: products, and for each strip that is met an entry of A looked at again, which is what it pays for a bounded
//   accumulator where rows are scattered.
// Why it is not the planned one: dense_row's sums of all columns stay in the caches up to half a million of them.
#pragma once

#include "core/bits.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "plan/mxm_workspace.hpp"

#include <bit>

namespace nz::kernels::cpu {

void row_row_count(const mxm_arguments& arguments);

namespace row_row_detail {

using plan::strip_columns;

/// One thread's strips over one row after the other. Values decides what is summed: see the filler and the counter.
template <class Values>
class strips {
public:
    strips(const mxm_arguments& k, int t, std::size_t operand_bytes)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::row_row_workspace(k.most_entries, k.value_bytes) * static_cast<std::size_t>(t)),
          next_(parts_.take<offset_t>(k.most_entries)),
          end_(parts_.take<offset_t>(k.most_entries)),
          bits_(parts_.take<bits::word>(strip_columns / 64)),
          values_(k, parts_),
          ahead_(k, operand_bytes) {
        std::fill_n(bits_, strip_columns / 64, bits::word{0});
    }

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) {
            const span_of_row a = row_of(k_.a.offsets, i);
            index_t low = start_row(a);
            values_.begin_row(i);
            while (low < k_.columns) {
                const index_t begin = low / strip_columns * strip_columns;
                low = add_strip(i, a, begin);
                read_out(begin);
            }
            values_.end_row(i);
        }
    }

private:
    // Places in B's rows; the smallest column of all.
    index_t start_row(span_of_row a) {
        index_t low = k_.columns;
        for (offset_t n = 0; n < a.size(); ++n) {
            ahead_(a.begin + n);
            const span_of_row b = row_of(k_.b.offsets, k_.a.columns[a.begin + n]);
            next_[n] = b.begin;
            end_[n] = b.end;
            if (b.size() > 0) low = std::min(low, k_.b.columns[b.begin]);
        }
        return low;
    }

    // Adds what falls in the strip from `begin`; the smallest column beyond it.
    index_t add_strip(index_t i, span_of_row a, index_t begin) {
        const offset_t limit = offset_t{begin} + strip_columns;
        index_t low = k_.columns;
        for (offset_t n = 0; n < a.size(); ++n) {
            offset_t q = next_[n];
            const offset_t q_end = end_[n];
            if (q == q_end) continue;
            const auto scaled = values_.scale(i, a.begin + n, k_.a.columns[a.begin + n]);
            for (; q < q_end && k_.b.columns[q] < limit; ++q) {
                const index_t at = k_.b.columns[q] - begin;
                values_.add(scaled, at, q, bits_[at >> 6] >> (at & 63) & 1);
                bits_[at >> 6] |= bits::word{1} << (at & 63);
            }
            next_[n] = q;
            if (q < q_end) low = std::min(low, k_.b.columns[q]);
        }
        return low;
    }

    void read_out(index_t begin) {
        for (index_t w = 0; w < strip_columns / 64; ++w)
            if (const bits::word word = std::exchange(bits_[w], 0)) values_.take(begin, w * 64, word);
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    offset_t *next_, *end_;
    bits::word* bits_;
    Values values_;
    rows_ahead ahead_;
};

/// Sums a strip of a cell's products.
template <class Cell>
class summed {
public:
    using V = typename Cell::value;
    struct scaled {
        typename Cell::operand x;
        index_t i, row;
    };
    summed(const mxm_arguments& k, plan::workspace_parts& parts)
        : k_(k), of_(k), sums_(parts.take<V>(strip_columns)) {
        std::fill_n(sums_, strip_columns, before_first<Cell>());
    }
    void begin_row(index_t i) { place_ = k_.offsets[i]; }
    void end_row(index_t) {}
    scaled scale(index_t i, offset_t p, index_t row) const { return {of_.a(p), i, row}; }
    [[gnu::always_inline]] void add(const scaled& s, index_t at, offset_t q, bool present) {
        add_product<Cell>(sums_[at], Cell::multiply(s.x, of_.b(q), s.i, s.row), present);
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

}  // namespace row_row_detail

template <class Cell>
void row_row_fill(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) {
        return row_row_detail::strips<row_row_detail::summed<Cell>>(k, t, sizeof(typename Cell::operand));
    });
}

}  // namespace nz::kernels::cpu
