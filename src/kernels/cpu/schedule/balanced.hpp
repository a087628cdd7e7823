// Balanced-path schedule (dalton2015, section III-B): the entries of two matrices in the order of (row, column) are one
// path, cut into pieces of equal length; a cut never parts the k-th entry of A at a place from the k-th of B there.
#pragma once

#include "kernels/ewise_arguments.hpp"
#include "plan/ewise.hpp"

#include <algorithm>

namespace nz::kernels::cpu {

/// How many of the first `taken` entries of two ascending lists, A's first where equal, are A's.
inline offset_t taken_from_a(const index_t* a, offset_t a_size, const index_t* b, offset_t b_size,
                             offset_t taken) {
    offset_t low = std::max<offset_t>(0, taken - b_size), high = std::min(taken, a_size);
    while (low < high) {
        const offset_t i = low + (high - low) / 2;
        if (a[i] <= b[taken - 1 - i])
            low = i + 1;
        else
            high = i;
    }
    return low;
}

/// The cut after `taken` entries of one row, or one entry later where that would part a pair: within a run of equal
/// columns pairs come first, then what the longer run has left.
inline std::pair<offset_t, offset_t> cut_row(const index_t* a, offset_t a_size, const index_t* b,
                                             offset_t b_size, offset_t taken) {
    const offset_t i = taken_from_a(a, a_size, b, b_size, taken), j = taken - i;
    if (taken == 0) return {0, 0};
    const index_t column = i == 0 ? b[j - 1] : j == 0 ? a[i - 1] : std::max(a[i - 1], b[j - 1]);
    const auto [a_run, a_end] = std::equal_range(a, a + a_size, column);
    const auto [b_run, b_end] = std::equal_range(b, b + b_size, column);
    const offset_t a_first = a_run - a, b_first = b_run - b, a_length = a_end - a_run,
                   b_length = b_end - b_run;
    const offset_t of_run = taken - a_first - b_first, pairs = std::min(a_length, b_length);
    if (of_run >= 2 * pairs)
        return {a_first + (a_length > pairs ? of_run - pairs : pairs),
                b_first + (b_length > pairs ? of_run - pairs : pairs)};
    return {a_first + (of_run + 1) / 2, b_first + (of_run + 1) / 2};
}

/// The cut before entry `at` of the path of both matrices.
inline plan::ewise_cut cut_path(const ewise_side& a, const ewise_side& b, index_t rows, offset_t at) {
    offset_t low = 0, high = rows;  // the first row that ends beyond `at`
    while (low < high) {
        const offset_t r = low + (high - low) / 2;
        if (a.offsets[r + 1] + b.offsets[r + 1] <= at)
            low = r + 1;
        else
            high = r;
    }
    const auto row = static_cast<index_t>(low);
    const offset_t a_begin = a.offsets[row], b_begin = b.offsets[row];
    if (row == rows) return {a_begin, b_begin, row};
    const auto [i, j] =
        cut_row(a.columns + a_begin, a.offsets[row + offset_t{1}] - a_begin, b.columns + b_begin,
                b.offsets[row + offset_t{1}] - b_begin, at - a_begin - b_begin);
    return {a_begin + i, b_begin + j, row};
}

}  // namespace nz::kernels::cpu
