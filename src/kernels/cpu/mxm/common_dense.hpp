// One row of sums with a place for every column, and bits that say which are there: rows come out sorted without a sort.
#pragma once

#include "core/bits.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "plan/mxm_workspace.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace nz::kernels::cpu {

/// The columns that a row may reach, and whether its words are marked in a second row of bits instead of all looked at.
struct row_window {
    index_t first_word = 0, last_word = -1;
    bool wide = false;
};

// Words that looking at costs as much as marking one product's word: eight are tested at once.
inline constexpr offset_t words_a_product = 4;

/// The window of a row of A: the smallest and the largest column of its rows of B.
inline row_window window_of(const mxm_arguments& k, span_of_row a, offset_t products) {
    index_t low = std::numeric_limits<index_t>::max(), high = -1;
    for (offset_t p = a.begin; p < a.end; ++p) {
        const span_of_row b = row_of(k.b.offsets, k.a.columns[p]);
        if (b.size() == 0) continue;
        low = std::min(low, k.b.columns[b.begin]);
        high = std::max(high, k.b.columns[b.end - 1]);
    }
    if (high < 0) return {};
    const index_t first = low / 64, last = high / 64;
    return {first, last, last - first >= words_a_product * products};
}

/// A thread's row of bits, empty between rows.
class column_bits {
public:
    column_bits(plan::workspace_parts& parts, index_t columns)
        : words_((plan::words_of(columns) + group_words - 1) / group_words * group_words),
          bits_(parts.take<bits::word>(words_)),
          marks_(parts.take<bits::word>(plan::words_of(words_))) {
        std::fill_n(bits_, words_, bits::word{0});
        std::fill_n(marks_, plan::words_of(words_), bits::word{0});
    }

    bool test(index_t j) const { return bits_[j >> 6] >> (j & 63) & 1; }
    template <bool Wide>
    [[gnu::always_inline]] void set(index_t j) {
        put<Wide>(j >> 6, bits::word{1} << (j & 63));
    }
    template <bool Wide>
    [[gnu::always_inline]] void put(index_t word, bits::word mask) {
        bits_[word] |= mask;
        if constexpr (Wide) mark(word);
    }
    [[gnu::always_inline]] void mark(index_t word) { marks_[word >> 6] |= bits::word{1} << (word & 63); }
    /// How many bits of the word are new; unmarked.
    [[gnu::always_inline]] int put_new(index_t word, bits::word mask) {
        const bits::word old = bits_[word];
        bits_[word] = old | mask;
        return std::popcount(mask & ~old);
    }
    void clear_word(index_t word) { bits_[word] = 0; }
    /// How many columns the window has, which it has no longer.
    offset_t take_count(const row_window& window) {
        if (window.wide) {
            offset_t n = 0;
            drain(window, [&](index_t, bits::word word) { n += std::popcount(word); });
            return n;
        }
        bits::word counts[group_words] = {};  // a vector's lanes
        for (index_t group = window.first_word & -group_words; group <= window.last_word;
             group += group_words) {
            bits::word* const words = bits_ + group;
            for (index_t w = 0; w < group_words; ++w) {
                counts[w] += static_cast<bits::word>(std::popcount(words[w]));
                words[w] = 0;
            }
        }
        return static_cast<offset_t>(std::accumulate(counts, counts + group_words, bits::word{0}));
    }
    /// Whether column j was there, which it is no longer.
    bool take(index_t j) {
        const bits::word bit = bits::word{1} << (j & 63);
        const bool present = bits_[j >> 6] & bit;
        bits_[j >> 6] &= ~bit;
        return present;
    }
    /// Sets [first, last].
    template <bool Wide>
    void set_run(index_t first, index_t last) {
        const index_t from = first >> 6, to = last >> 6;
        const bits::word head = ~bits::word{0} << (first & 63), tail = ~bits::word{0} >> (63 - (last & 63));
        if (from == to) return put<Wide>(from, head & tail);
        put<Wide>(from, head);
        for (index_t w = from + 1; w < to; ++w) put<Wide>(w, ~bits::word{0});
        put<Wide>(to, tail);
    }

    /// Calls f(word number, word) for the words of the window that are not 0, ascending, and empties them.
    template <class F>
    void drain(const row_window& window, F&& f) {
        if (!window.wide) {
            for (index_t group = window.first_word & -group_words; group <= window.last_word;
                 group += group_words) {
                bits::word any = 0;
                for (index_t w = 0; w < group_words; ++w) any |= bits_[group + w];
                if (any == 0) continue;
                for (index_t w = group; w < group + group_words; ++w)
                    if (const bits::word word = bits_[w]) {
                        bits_[w] = 0;
                        f(w, word);
                    }
            }
            return;
        }
        for (index_t m = window.first_word >> 6; m <= window.last_word >> 6; ++m)
            for (bits::word mark = std::exchange(marks_[m], 0); mark; mark &= mark - 1) {
                const index_t w = (m << 6) + std::countr_zero(mark);
                f(w, std::exchange(bits_[w], 0));
            }
    }

private:
    // A cache line, tested at once; the workspace is padded to whole ones.
    static constexpr index_t group_words = 8;
    offset_t words_;
    bits::word *bits_, *marks_;
};

}  // namespace nz::kernels::cpu
