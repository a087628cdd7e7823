// mxm/dense_row: C = A B row by row, every row summed where its columns lie: a dense row of sums and of bits a thread.
//
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a row
//   belongs to one thread.
// Fill: the bits of the row's columns, the sums, then both read out in the order of columns, which needs no sort. B's columns are taken by words
//   of 64 where the plan had them packed (banded and meshed matrices: a third to a twentieth of the products), before the sums, else
//   one by one with them. Rows of one or two terms are copied or merged. Nothing is counted first: runs are filled in turns
//   (common_turns.hpp, docs/decisions/0026-filled-before-counted.md). Count, where it comes first: the same bits.
// Packed rows of B that are neighbours, three at a time, have lists of words of their own, joined (common_words.hpp): a mesh's or a
//   band's row of A names runs of rows, whose words are nearly the same. Words looked at fall to a third.
// Over any_pair all sums are one, and bits alone are made (two threads, rmat:13,8 squared 37 -> 13 ms, laplace3d:30 18 -> 7.3).
// Bits are looked at between the row's smallest and largest column; where those lie far apart for the row's products,
//   a second row of bits marks the words that were touched.
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: a run's turn; the join. Workspace: sums and bits of all columns a thread, and B's words; the stage's parts.
// Distance to the limit (laplace3d:60, one thread, Zen 4, by samples): of 175 to 187 ms 80 are the products, 2 cycles each, of which 1.2 would be the
//   least the core could issue; 28 the words, most of that exits of short loops; 26 what is read out; 11 what is put behind the rows before;
//   7 the packing, 6 the counts of products; the rest where rows of B begin and end.
//   Tried without gain there: products eight at a time by octets of columns (128 ms for 92, two threads), words listed without a branch and
//   columns written three at a time, runs of columns moved under a mask, bits in bytes or in two rows.
// Cost: products, and words of the windows; a row of sums that leaves the second-level cache costs a miss a product.
// Paper: the accumulator of Gustavson's product, as in matam2012's row-row form without strips.
// Why hash was not enough: a probe is a branch that fails where rows are crowded, and its columns must be sorted.
#pragma once

#include "kernels/cpu/mxm/common_turns.hpp"
#include "kernels/cpu/mxm/common_words.hpp"

namespace nz::kernels::cpu {

/// Also packs B's columns by words where arguments.words is given.
void dense_row_count(const mxm_arguments& arguments);

namespace dense_row_detail {

/// Thread t's part of the workspace.
inline plan::workspace_parts part_of(const mxm_arguments& k, int t) {
    return plan::workspace_parts(static_cast<std::byte*>(k.workspace) +
                                 plan::dense_row_workspace(k.columns, k.value_bytes) *
                                     static_cast<std::size_t>(t));
}

template <class Cell>
class filler {
public:
    using V = typename Cell::value;
    filler(const mxm_arguments& k, int t)
        : k_(k),
          words_(k),
          parts_(part_of(k, t)),
          sums_(parts_.take<V>(k.columns)),
          present_(parts_, k.columns),
          of_(k),
          ahead_(k, sizeof(typename Cell::operand)) {
        std::fill_n(sums_, k.columns, before_first<Cell>());
    }

    void operator()(index_t first, index_t last) {
        fill_rows(k_, first, last, [&](index_t i, offset_t place) { return row(i, place); });
    }

private:
    // Fills row i from `place` on; returns the place behind it.
    offset_t row(index_t i, offset_t place) {
        const span_of_row a = row_of(k_.a.offsets, i);
        if (a.size() <= short_row) {
            for (offset_t p = a.begin; p < a.end; ++p) ahead_(p);
            return fill_short_row(k_, of_, i, a, place);
        }
        const offset_t products = k_.products[i + offset_t{1}] - k_.products[i];
        if (words_ && (!Cell::first_wins || ones)) {
            const row_window window = words_.set(k_, a, products, present_);
            if constexpr (!ones) add_row<false, false>(i, a);
            return read_out(window, place);
        }
        const bool wide =
            plan::words_of(k_.columns) > words_a_product * products && window_of(k_, a, products).wide;
        return read_out(wide ? add_row<true, true>(i, a) : add_row<true, false>(i, a), place);
    }

    // Sums that are all one: only which there are has to be found out.
    static constexpr bool ones = Cell::first_wins && Cell::multiply_id == binary_id::pair;

    // The window of what was added.
    template <bool Marks, bool Wide>
    row_window add_row(index_t i, span_of_row a) {
        const index_t* columns = k_.b.columns;
        index_t first = std::numeric_limits<index_t>::max(), last = -1;
        for (offset_t p = a.begin; p < a.end; ++p) {
            if constexpr (Marks) ahead_(p);  // else rows of B are met again and again
            const index_t row = k_.a.columns[p];
            const auto x = of_.a(p);
            const span_of_row b = row_of(k_.b.offsets, row);
            if (b.size() == 0) continue;
            const index_t low = columns[b.begin], high = columns[b.end - 1];
            first = std::min(first, low);
            last = std::max(last, high);
            if ((!Cell::first_wins || ones) && high - low + 1 == b.size()) {
                V* sums = sums_ + low;  // adjacent columns: for the vector unit
                for (offset_t q = 0; !ones && q < b.size(); ++q)
                    sums[q] = Cell::add(sums[q], Cell::multiply(x, of_.b(b.begin + q), i, row));
                if constexpr (Marks) present_.set_run<Wide>(low, high);
                continue;
            }
            const auto add = [&](offset_t q) {
                const index_t j = columns[q];
                if constexpr (!ones)
                    add_product<Cell>(sums_[j], Cell::multiply(x, of_.b(q), i, row),
                                      Cell::first_wins && present_.test(j));
                if constexpr (Marks) present_.set<Wide>(j);
            };
            offset_t q = b.begin;
            if constexpr (Marks) {
                for (; q < b.end; ++q) add(q);
            } else {  // longer rows: two at a time
                if (b.size() % 2) add(q++);
                for (; q < b.end; q += 2) {
                    add(q);
                    add(q + 1);
                }
            }
        }
        return last < 0 ? row_window{} : row_window{first / 64, last / 64, Wide};
    }

    offset_t read_out(const row_window& window, offset_t place) {
        index_t* columns = of_.out_columns + place;
        V* values = of_.out_values + place;
        present_.drain(window, [&](index_t w, bits::word word) {
            for (; word; word &= word - 1) {
                const index_t j = (w << 6) + std::countr_zero(word);
                *columns++ = j;
                if constexpr (ones)
                    *values++ = V(1);
                else
                    *values++ = std::exchange(sums_[j], before_first<Cell>());
            }
        });
        return columns - of_.out_columns;
    }

    const mxm_arguments& k_;
    word_lists words_;
    plan::workspace_parts parts_;
    V* sums_;
    column_bits present_;
    mxm_operands<Cell> of_;
    rows_ahead ahead_;
};

}  // namespace dense_row_detail

template <class Cell>
void dense_row_fill(const mxm_arguments& k) {
    if (k.stage && k.words) word_lists(k).pack(k);  // there was no count
    fill_runs_of_rows<dense_row_detail::filler<Cell>>(k);
}

}  // namespace nz::kernels::cpu
