#include "kernels/cpu/mxm/dense_row.hpp"

namespace nz::kernels::cpu {
namespace dense_row_detail {

layout lay_out(const mxm_arguments& k) {
    layout at;
    at.threads = static_cast<std::byte*>(k.workspace);
    at.a_thread = plan::dense_row_workspace(k.columns, k.value_bytes);
    if (!k.words) return at;
    plan::workspace_parts parts(k.workspace);
    const offset_t words = k.words[k.inner];
    at.word_numbers = parts.take<index_t>(words);
    at.word_bits = parts.take<bits::word>(words);
    at.threads += plan::packed_words(words);
    return at;
}

namespace {

void pack_words(const mxm_arguments& k, const layout& at) {
    parallel::for_pieces(k.threads, k.inner, [&](offset_t begin, offset_t end) {
        for (offset_t row = begin; row < end; ++row) {
            offset_t w = k.words[row] - 1;
            index_t last = -1;
            const span_of_row b = row_of(k.b.offsets, row);
            for (offset_t q = b.begin; q < b.end; ++q) {
                const index_t j = k.b.columns[q], word = j >> 6;
                if (word != last) {
                    at.word_numbers[++w] = last = word;
                    at.word_bits[w] = 0;
                }
                at.word_bits[w] |= bits::word{1} << (j & 63);
            }
        }
    });
}

class counter {
public:
    counter(const mxm_arguments& k, const layout& at, int t)
        : k_(k), at_(at), parts_(at.of(t)), ahead_(k, 0), present_(skip_sums(parts_, k), k.columns) {}

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
        return k_.words ? count_words(a) : count_columns(i, a);
    }

    // Bits that are new, then all taken back along the same way: no word is searched for.
    offset_t count_words(span_of_row a) {
        offset_t n = 0;
        for_words(a, [&](index_t word, bits::word mask) { n += present_.put_new(word, mask); });
        for_words(a, [&](index_t word, bits::word) { present_.clear_word(word); });
        return n;
    }
    template <class F>
    void for_words(span_of_row a, F&& f) {
        for (offset_t p = a.begin; p < a.end; ++p) {
            const index_t row = k_.a.columns[p];
            for (offset_t w = k_.words[row]; w < k_.words[row + offset_t{1}]; ++w)
                f(at_.word_numbers[w], at_.word_bits[w]);
        }
    }

    offset_t count_columns(index_t i, span_of_row a) {
        const row_window window = window_of(k_, a, k_.products[i + offset_t{1}] - k_.products[i]);
        offset_t n = 0;
        if (window.wide) {
            for_columns(a, [&](index_t j) { n += present_.put_new(j >> 6, bits::word{1} << (j & 63)); });
            for_columns(a, [&](index_t j) { present_.clear_word(j >> 6); });
            return n;
        }
        for_columns(a, [&](index_t j) { present_.set<false>(j); });
        present_.drain(window, [&](index_t, bits::word word) { n += std::popcount(word); });
        return n;
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
    const layout& at_;
    plan::workspace_parts parts_;
    rows_ahead ahead_;
    column_bits present_;
};

}  // namespace
}  // namespace dense_row_detail

void dense_row_count(const mxm_arguments& k) {
    const auto at = dense_row_detail::lay_out(k);
    if (k.words) dense_row_detail::pack_words(k, at);
    for_runs_of_rows(k, [&](int t) { return dense_row_detail::counter(k, at, t); });
}

}  // namespace nz::kernels::cpu
