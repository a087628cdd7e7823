// mxm/masked_row: C<M> = A B or C<!M> = A B, products of places that the mask bars passed over as they come.
//
// Computes: for each row the mask's columns are set in a row of bits; a product is added where its column's bit is (is
//   not, when complemented). Rows whose mask is empty are not looked at. Without a mask every product counts.
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a row
//   belongs to one thread.
// Read out: along the mask's own row, or, complemented, along the bits that were set between the row's smallest and
//   largest column (common_dense.hpp). Sorted either way.
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: the joins after count and fill. Workspace a thread: a sum and two bits a column.
// Cost: products that are looked at, and the mask's entries: once where the result may begin with the mask's room (counts then
//   come from the fill), else twice.
// Why dense_row was not enough: it makes all places and lets the write-back drop those barred.
#pragma once

#include "kernels/cpu/mxm/common_dense.hpp"
#include "kernels/cpu/mxm/common_turns.hpp"

namespace nz::kernels::cpu {

void masked_row_count(const mxm_arguments& arguments);

namespace masked_row_detail {

/// One thread's rows. Values decides what is summed: see the filler and the counter.
template <class Values>
class rows {
public:
    rows(const mxm_arguments& k, int t, std::size_t operand_bytes)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::masked_row_workspace(k.columns, k.value_bytes) * static_cast<std::size_t>(t)),
          values_(k, parts_),
          present_(parts_, k.columns),
          listed_(parts_.take<bits::word>(plan::words_of(k.columns))),
          ahead_(k, operand_bytes) {
        std::fill_n(listed_, plan::words_of(k.columns), bits::word{0});
    }

    void operator()(index_t first, index_t last) {
        values_.begin_run(first);
        for (index_t i = first; i < last; ++i) {
            const span_of_row a = row_of(k_.a.offsets, i),
                              mask = k_.masked ? row_of(k_.mask_offsets, i) : span_of_row{0, 0};
            values_.begin_row();
            if (a.size() > 0 && (mask.size() > 0 || !k_.masked || k_.complement)) {
                for (offset_t m = mask.begin; m < mask.end; ++m) flip(k_.mask_columns[m]);
                k_.masked && !k_.complement ? by_mask(i, a, mask) : by_window(i, a);
                for (offset_t m = mask.begin; m < mask.end; ++m) flip(k_.mask_columns[m]);
            }
            values_.end_row(i);
        }
    }

private:
    void flip(index_t j) { listed_[j >> 6] ^= bits::word{1} << (j & 63); }

    template <bool Wide>
    void add_row(index_t i, span_of_row a, bool barred) {
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const index_t row = k_.a.columns[p];
            const auto scaled = values_.scale(i, p, row);
            const span_of_row b = row_of(k_.b.offsets, row);
            for (offset_t q = b.begin; q < b.end; ++q) {
                const index_t j = k_.b.columns[q];
                if (static_cast<bool>(listed_[j >> 6] >> (j & 63) & 1) == barred) continue;
                values_.add(scaled, j, q, present_.test(j));
                present_.template set<Wide>(j);
            }
        }
    }

    // Present bits of the mask's columns alone are set, so they are cleared along it.
    void by_mask(index_t i, span_of_row a, span_of_row mask) {
        add_row<false>(i, a, false);
        for (offset_t m = mask.begin; m < mask.end; ++m) {
            const index_t j = k_.mask_columns[m];
            if (present_.take(j)) values_.take(j);
        }
    }

    void by_window(index_t i, span_of_row a) {
        const row_window window = window_of(k_, a, k_.products[i + offset_t{1}] - k_.products[i]);
        window.wide ? add_row<true>(i, a, true) : add_row<false>(i, a, true);
        present_.drain(window, [&](index_t w, bits::word word) {
            for (; word; word &= word - 1) values_.take((w << 6) + std::countr_zero(word));
        });
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    Values values_;
    column_bits present_;
    bits::word* listed_;
    rows_ahead ahead_;
};

/// Sums a cell's products.
template <class Cell>
class summed {
public:
    using V = typename Cell::value;
    struct scaled {
        typename Cell::operand x;
        index_t i, row;
    };
    summed(const mxm_arguments& k, plan::workspace_parts& parts)
        : k_(k), of_(k), sums_(parts.take<V>(k.columns)) {
        std::fill_n(sums_, k.columns, before_first<Cell>());
    }
    void begin_run(index_t first) { place_ = k_.stage ? k_.stage_place : k_.offsets[first]; }
    void begin_row() { begin_ = place_; }
    void end_row(index_t i) {
        if (k_.stage) k_.counts[i] = static_cast<index_t>(place_ - begin_);
    }
    scaled scale(index_t i, offset_t p, index_t row) const { return {of_.a(p), i, row}; }
    [[gnu::always_inline]] void add(const scaled& s, index_t j, offset_t q, bool present) {
        add_product<Cell>(sums_[j], Cell::multiply(s.x, of_.b(q), s.i, s.row), present);
    }
    void take(index_t j) {
        of_.out_columns[place_] = j;
        of_.out_values[place_++] = std::exchange(sums_[j], before_first<Cell>());
    }

private:
    const mxm_arguments& k_;
    mxm_operands<Cell> of_;
    V* sums_;
    offset_t place_ = 0, begin_ = 0;
};

template <class Cell>
struct filler : rows<summed<Cell>> {
    filler(const mxm_arguments& k, int t) : rows<summed<Cell>>(k, t, sizeof(typename Cell::operand)) {}
};

}  // namespace masked_row_detail

template <class Cell>
void masked_row_fill(const mxm_arguments& k) {
    fill_runs_of_rows<masked_row_detail::filler<Cell>>(k);
}

}  // namespace nz::kernels::cpu
