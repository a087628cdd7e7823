#include "kernels/cpu/mxm/dense_row.hpp"

namespace nz::kernels::cpu {
namespace dense_row_detail {

namespace {

class counter {
public:
    counter(const mxm_arguments& k, const word_lists& words, int t)
        : k_(k),
          words_(words),
          parts_(part_of(k, t)),
          ahead_(k, 0),
          present_(skip_sums(parts_, k), k.columns) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) k_.counts[i] = static_cast<index_t>(count(i));
    }

private:
    static plan::workspace_parts& skip_sums(plan::workspace_parts& parts, const mxm_arguments& k) {
        parts.take<std::byte>(k.columns * static_cast<offset_t>(k.value_bytes));
        return parts;
    }

    offset_t count(index_t i) {
        const span_of_row a = row_of(k_.a.offsets, i);
        if (a.size() <= short_row) {
            for (offset_t p = a.begin; p < a.end; ++p) ahead_(p);
            return count_short_row(k_, a);
        }
        return words_ ? count_words(i, a) : count_columns(i, a);
    }

    offset_t count_words(index_t i, span_of_row a) {
        return present_.take_count(
            words_.set(k_, a, k_.products[i + offset_t{1}] - k_.products[i], present_));
    }

    offset_t count_columns(index_t i, span_of_row a) {
        const row_window window = window_of(k_, a, k_.products[i + offset_t{1}] - k_.products[i]);
        if (window.wide) {
            offset_t n = 0;
            for_columns(a, [&](index_t j) { n += present_.put_new(j >> 6, bits::word{1} << (j & 63)); });
            for_columns(a, [&](index_t j) { present_.clear_word(j >> 6); });
            return n;
        }
        for_columns(a, [&](index_t j) { present_.set<false>(j); });
        return present_.take_count(window);
    }
    template <class F>
    void for_columns(span_of_row a, F&& f) {
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const span_of_row b = row_of(k_.b.offsets, k_.a.columns[p]);
            for (offset_t q = b.begin; q < b.end; ++q) f(k_.b.columns[q]);
        }
    }

    const mxm_arguments& k_;
    const word_lists& words_;
    plan::workspace_parts parts_;
    rows_ahead ahead_;
    column_bits present_;
};

}  // namespace
}  // namespace dense_row_detail

void dense_row_count(const mxm_arguments& k) {
    word_lists words(k);
    if (words) words.pack(k);
    for_runs_of_rows(k, [&](int t) { return dense_row_detail::counter(k, words, t); });
}

}  // namespace nz::kernels::cpu
