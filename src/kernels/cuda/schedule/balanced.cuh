// Balanced-path schedule (dalton2015, section III-B): the entries of two matrices and the ends of their rows, in the
// order of (row, column), are one path, cut into tiles of equal length. A cut never parts the k-th entry of A at a place
// from the k-th of B there. The paper cuts entries alone; with the ends of rows a stretch of empty rows is shared out too.
// Eight lanes find a cut: of eight places that divide what is left evenly, all looked at in one go, they keep the part
// between the last that lies before the cut and the next. So a cut among four million rows costs eight trips to the
// second-level cache; a warp a cut makes fewer trips, and with four times the instructions was slower.
#pragma once

#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "plan/ewise.hpp"

namespace nz::kernels::cuda {

constexpr int cut_lanes = 8;

/// The first place in [low, high) where `before` no longer holds, or `high`; it holds up to there. Each group of lanes
/// asks for itself and all its lanes get the same; all groups of a warp ask together.
template <class Index, class Before>
__device__ Index first_not(Index low, Index high, Before before) {
    const unsigned lane = threadIdx.x % cut_lanes, group = threadIdx.x % 32 - lane;
    while (__any_sync(full_warp, low < high)) {
        const Index step = (high - low + (cut_lanes - 1)) / cut_lanes,
                    at = low + static_cast<Index>(lane) * step;
        const unsigned holds = __ballot_sync(full_warp, at < high && before(at)) >> group;
        const auto hold = static_cast<Index>(__popc(holds & ((1u << cut_lanes) - 1)));
        high = min(high, low + hold * step);
        if (hold > 0) low += (hold - 1) * step + 1;
    }
    return low;
}

struct row_cut {
    offset_t a, b;
};

/// The cut after `taken` steps of one row whose cut by the order of columns alone, A's first, would part a run of
/// equals: pairs come first, then what the longer run has left.
__device__ inline row_cut cut_run(const index_t* a, offset_t a_size, const index_t* b, offset_t b_size,
                                  offset_t taken, index_t column) {
    const auto bound = [column](const index_t* list, offset_t size, bool upper) {
        return first_not(offset_t{0}, size,
                         [&](offset_t i) { return list[i] < column || (upper && list[i] == column); });
    };
    const offset_t a_first = bound(a, a_size, false), a_length = bound(a, a_size, true) - a_first,
                   b_first = bound(b, b_size, false), b_length = bound(b, b_size, true) - b_first;
    const offset_t of_run = taken - a_first - b_first, pairs = min(a_length, b_length);
    if (of_run >= 2 * pairs)
        return {a_first + (a_length > pairs ? of_run - pairs : pairs),
                b_first + (b_length > pairs ? of_run - pairs : pairs)};
    return {a_first + (of_run + 1) / 2, b_first + (of_run + 1) / 2};
}

/// The cut after `taken` entries of one row, or one later where that would part a pair.
__device__ inline row_cut cut_row(const index_t* a, offset_t a_size, const index_t* b, offset_t b_size,
                                  offset_t taken) {
    const offset_t i = first_not(max(offset_t{0}, taken - b_size), min(taken, a_size),
                                 [&](offset_t at) { return a[at] <= b[taken - 1 - at]; });
    const offset_t j = taken - i;
    const bool parts = i > 0 && j < b_size && a[i - 1] == b[j], repeats = parts && i > 1 && a[i - 2] == b[j];
    if (__any_sync(full_warp, repeats)) {
        const row_cut cut =
            cut_run(a, repeats ? a_size : 0, b, repeats ? b_size : 0, taken, repeats ? b[j] : 0);
        if (repeats) return cut;
    }
    return {i, j + parts};
}

/// The cut before step `at` of the path.
__device__ inline plan::ewise_cut cut_path(device_offsets a_offsets, const index_t* a,
                                           device_offsets b_offsets, const index_t* b, index_t rows,
                                           offset_t at) {
    const auto start = [&](offset_t r) { return a_offsets[r] + b_offsets[r] + r; };
    const offset_t row =
        first_not(1u, static_cast<unsigned>(rows) + 1, [&](unsigned r) { return start(r) <= at; }) - 1;
    const offset_t a_begin = a_offsets[row], b_begin = b_offsets[row], next = min(row + 1, offset_t{rows});
    const row_cut cut = cut_row(a + a_begin, a_offsets[next] - a_begin, b + b_begin,
                                b_offsets[next] - b_begin, at - a_begin - b_begin - row);
    return {a_begin + cut.a, b_begin + cut.b, static_cast<index_t>(row)};
}

}  // namespace nz::kernels::cuda
