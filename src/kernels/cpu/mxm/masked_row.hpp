// mxm/masked_row: C<M> = A B or C<!M> = A B, products of places that the mask bars passed over as they come.
//
// Computes, where the mask lists what may be written: one of two ways a row, whose sums are the same. By places: the mask's columns are set
//   in a row of bits, and a product is added where its column's bit is. By all: every product is added, with no branch, and those barred
//   are not read out. The first costs a branch, which fails where it goes either way; the second the cache, where few columns are met
//   again. Every sixteenth row goes by places and is counted: where more than a third of what they looked at was let through, the
//   rows between go by all. Rows whose mask is empty are not looked at.
//   Complemented, or without a mask, where every product counts: a product is added where its column's bit is not set.
// Who owns what: runs of rows with about as many products each go to whichever thread is free, and are filled in turns
//   (common_turns.hpp) in no more room than the mask has entries; a row belongs to one thread.
// Read out: along the mask's own row, where the last row that reached a column is this one; or, complemented, along the bits that were set
//   between the row's smallest and largest column (common_dense.hpp). Sorted either way.
// Which row reached a column last is a number a column, not a bit: bits of neighbours are one word, and each would wait for the one
//   before (laplace3d:50 under itself, one thread, by places: 126 ms, by a byte a column 94).
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: a run's turn; the join. Workspace a thread: a sum, a number and two bits a column.
// Distance to the limit (one thread, Zen 4): by all 1.1 ns a product (laplace3d:50, facebook_combined), some 4 cycles for 8 operations; by
//   places 0.8 to 4 ns, as often as the branch fails.
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
          latest_(parts_.take<index_t>(k.columns)),
          ahead_(k, operand_bytes) {
        std::fill_n(listed_, plan::words_of(k.columns), bits::word{0});
        std::fill_n(latest_, k.columns, -1);
    }

    void operator()(index_t first, index_t last) {
        values_.begin_run(first);
        for (index_t i = first; i < last; ++i) {
            const span_of_row a = row_of(k_.a.offsets, i),
                              mask = k_.masked ? row_of(k_.mask_offsets, i) : span_of_row{0, 0};
            values_.begin_row();
            if (a.size() > 0) {
                if (!k_.masked || k_.complement)
                    by_window(i, a, mask);
                else if (mask.size() > 0)
                    by_mask(i, a, mask);
            }
            values_.end_row(i);
        }
    }

private:
    static constexpr offset_t rows_a_count = 16, counted_products = 1 << 20;
    static constexpr double share_for_all = 0.35;

    void flip(span_of_row mask) {
        for (offset_t m = mask.begin; m < mask.end; ++m) {
            const index_t j = k_.mask_columns[m];
            listed_[j >> 6] ^= bits::word{1} << (j & 63);
        }
    }

    // Calls add(scaled, q, j) for the products of a row.
    template <class Add>
    [[gnu::always_inline]] void for_products(index_t i, span_of_row a, Add add) const {
        const index_t* const columns = k_.b.columns;
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const index_t row = k_.a.columns[p];
            const auto scaled = values_.scale(i, p, row);
            const span_of_row b = row_of(k_.b.offsets, row);
            for (offset_t q = b.begin; q < b.end; ++q) add(scaled, q, columns[q]);
        }
    }

    void by_mask(index_t i, span_of_row a, span_of_row mask) {
        const auto put = [values = values_, latest = latest_, i](const auto& scaled, offset_t q, index_t j) {
            values.put(scaled, j, q, latest[j] == i);
            latest[j] = i;
        };
        if (by_all_ && ++uncounted_ < rows_a_count) {
            for_products(i, a, put);
        } else {
            offset_t kept = 0;
            flip(mask);
            for_products(i, a, [put, &kept, listed = listed_](const auto& scaled, offset_t q, index_t j) {
                if (!(listed[j >> 6] >> (j & 63) & 1)) return;
                put(scaled, q, j);
                ++kept;
            });
            flip(mask);
            count(k_.products[i + offset_t{1}] - k_.products[i], kept);
        }
        for (offset_t m = mask.begin; m < mask.end; ++m) {
            const index_t j = k_.mask_columns[m];
            if (latest_[j] == i) values_.take(j);
        }
    }
    void count(offset_t products, offset_t kept) {
        uncounted_ = 0;
        seen_ += products;
        kept_ += kept;
        by_all_ = static_cast<double>(kept_) > share_for_all * static_cast<double>(seen_);
        if (seen_ < counted_products) return;
        seen_ /= 2;
        kept_ /= 2;
    }

    void by_window(index_t i, span_of_row a, span_of_row mask) {
        const row_window window = window_of(k_, a, k_.products[i + offset_t{1}] - k_.products[i]);
        flip(mask);
        window.wide ? add_unlisted<true>(i, a) : add_unlisted<false>(i, a);
        flip(mask);
        present_.drain(window, [&](index_t w, bits::word word) {
            for (; word; word &= word - 1) values_.take((w << 6) + std::countr_zero(word));
        });
    }
    template <bool Wide>
    void add_unlisted(index_t i, span_of_row a) {
        for_products(i, a, [&](const auto& scaled, offset_t q, index_t j) {
            if (listed_[j >> 6] >> (j & 63) & 1) return;
            values_.put(scaled, j, q, present_.test(j));
            present_.template set<Wide>(j);
        });
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    Values values_;
    column_bits present_;
    bits::word* listed_;
    index_t* latest_;  // the last row that reached a column
    rows_ahead ahead_;
    bool by_all_ = false;
    offset_t uncounted_ = 0;        // rows since the last that was counted
    offset_t seen_ = 0, kept_ = 0;  // products of those that were
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
        std::fill_n(sums_, k.columns, V{});  // a place is read before it is known to be this row's
    }
    void begin_run(index_t first) { place_ = k_.stage ? k_.stage_place : k_.offsets[first]; }
    void begin_row() { begin_ = place_; }
    void end_row(index_t i) {
        if (k_.stage) k_.counts[i] = static_cast<index_t>(place_ - begin_);
    }
    scaled scale(index_t i, offset_t p, index_t row) const { return {of_.a(p), i, row}; }
    [[gnu::always_inline]] void put(const scaled& s, index_t j, offset_t q, bool present) const {
        const V product = Cell::multiply(s.x, of_.b(q), s.i, s.row), sum = sums_[j];
        if constexpr (Cell::first_wins)
            sums_[j] = present ? sum : product;
        else
            sums_[j] = present ? Cell::add(sum, product) : product;
    }
    void take(index_t j) {
        of_.out_columns[place_] = j;
        of_.out_values[place_++] = sums_[j];
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
