// B's columns packed by words of 64, and those of neighbouring rows joined: a run of three rows of B is one list of words, where
// the rows of a mesh or a band have them in common.
#pragma once

#include "core/bits.hpp"
#include "kernels/cpu/mxm/common_dense.hpp"

#include <array>

namespace nz::kernels::cpu {

/// The words of rows of B, as pack() leaves them in arguments.packed.
class word_lists {
public:
    /// Ascending, without repeats.
    struct list {
        const index_t* numbers;
        const bits::word* words;
        offset_t size;
    };

    explicit word_lists(const mxm_arguments& k) : before_(k.words) {
        if (!before_) return;
        plan::workspace_parts parts(k.packed);
        const offset_t words = before_[k.inner];
        numbers_ = parts.take<index_t>(words);
        words_ = parts.take<bits::word>(words);
        joined_numbers_ = parts.take<index_t>(plan::joined_words(words));
        joined_words_ = parts.take<bits::word>(plan::joined_words(words));
        joined_size_ = parts.take<index_t>(k.inner);
    }
    explicit operator bool() const { return before_; }

    void pack(const mxm_arguments& k) {
        parallel::for_pieces(k.threads, k.inner, [&](offset_t begin, offset_t end) {
            for (offset_t row = begin; row < end; ++row) pack_row(k, row);
        });
        parallel::for_pieces(k.threads, k.inner, [&](offset_t begin, offset_t end) {
            for (offset_t row = begin; row < end; ++row)
                joined_size_[row] = row + plan::joined_rows <= k.inner ? join(row) : 0;
        });
    }

    /// Calls f(list) for lists that have together the words of the rows that a row of A names, some more than once.
    template <class F>
    [[gnu::always_inline]] void for_each(const mxm_arguments& k, span_of_row a, F&& f) const {
        constexpr offset_t further = plan::joined_rows - 1;
        for (offset_t p = a.begin; p < a.end;) {
            const index_t row = k.a.columns[p];
            if (p + further < a.end && k.a.columns[p + further] == row + further && joined_size_[row] > 0) {
                f(joined(row));
                p += plan::joined_rows;
            } else {
                f(of_row(row));
                ++p;
            }
        }
    }

    /// Sets the columns that a row of A reaches, marked where its window is wide; the window.
    row_window set(const mxm_arguments& k, span_of_row a, offset_t products, column_bits& present) const {
        index_t low = std::numeric_limits<index_t>::max(), high = -1;
        for_each(k, a, [&](const list& l) {
            if (l.size == 0) return;
            low = std::min(low, l.numbers[0]);
            high = std::max(high, l.numbers[l.size - 1]);
            for (offset_t w = 0; w < l.size; ++w) present.put<false>(l.numbers[w], l.words[w]);
        });
        if (high < 0) return {};
        const row_window window{low, high, high - low >= words_a_product * products};
        if (window.wide)
            for_each(k, a, [&](const list& l) {
                for (offset_t w = 0; w < l.size; ++w) present.mark(l.numbers[w]);
            });
        return window;
    }

private:
    [[gnu::always_inline]] list of_row(offset_t row) const {
        const offset_t begin = before_[row];
        return {numbers_ + begin, words_ + begin, before_[row + 1] - begin};
    }
    [[gnu::always_inline]] list joined(offset_t row) const {
        const offset_t begin = plan::joined_words(before_[row]);
        return {joined_numbers_ + begin, joined_words_ + begin, joined_size_[row]};
    }

    void pack_row(const mxm_arguments& k, offset_t row) {
        offset_t w = before_[row] - 1;
        index_t last = -1;
        const span_of_row b = row_of(k.b.offsets, row);
        for (offset_t q = b.begin; q < b.end; ++q) {
            const index_t j = k.b.columns[q], word = j >> 6;
            if (word != last) {
                numbers_[++w] = last = word;
                words_[w] = 0;
            }
            words_[w] |= bits::word{1} << (j & 63);
        }
    }

    static bool same_numbers(const std::array<list, plan::joined_rows>& rows) {
        const auto equal = [&](const list& l) {
            return l.size == rows[0].size && std::equal(l.numbers, l.numbers + l.size, rows[0].numbers);
        };
        return equal(rows[1]) && equal(rows[2]);
    }

    // How many words the row and the two behind it have together, written; 0 where they have no room.
    index_t join(offset_t row) {
        constexpr index_t none = std::numeric_limits<index_t>::max();
        std::array<list, plan::joined_rows> rows;
        for (int r = 0; r < plan::joined_rows; ++r) rows[r] = of_row(row + r);
        const offset_t begin = plan::joined_words(before_[row]),
                       room = plan::joined_words(before_[row + 1]) - begin;
        if (same_numbers(rows)) {  // most, in a mesh
            for (offset_t w = 0; w < rows[0].size; ++w) {
                joined_numbers_[begin + w] = rows[0].numbers[w];
                joined_words_[begin + w] = rows[0].words[w] | rows[1].words[w] | rows[2].words[w];
            }
            return static_cast<index_t>(rows[0].size);
        }
        for (offset_t n = 0;; ++n) {
            std::array<index_t, plan::joined_rows> next;
            for (int r = 0; r < plan::joined_rows; ++r) next[r] = rows[r].size > 0 ? *rows[r].numbers : none;
            const index_t number = *std::ranges::min_element(next);
            if (number == none) return static_cast<index_t>(n);
            if (n == room) return 0;
            bits::word word = 0;
            for (int r = 0; r < plan::joined_rows; ++r) {
                const bool here = next[r] == number;
                word |= here ? *rows[r].words : 0;
                rows[r].numbers += here;
                rows[r].words += here;
                rows[r].size -= here;
            }
            joined_numbers_[begin + n] = number;
            joined_words_[begin + n] = word;
        }
    }

    const offset_t* before_;
    index_t *numbers_ = nullptr, *joined_numbers_ = nullptr, *joined_size_ = nullptr;
    bits::word *words_ = nullptr, *joined_words_ = nullptr;
};

}  // namespace nz::kernels::cpu
