// mxv/csc_gather_merge: w = A u for sparse u; the gathered columns, each sorted already, are merged pairwise
// (yang2015, "merge sort"), then reduced by key.
//
// Rounds: with R runs, ceil(log2 R) rounds merge neighbours. Threads share a round by output positions: each finds
//   its pair of runs and, inside it, the merge-path split of its first position by binary search (dalton2015,
//   figure 1a), so the last round, one pair, is shared evenly too. Structure-only semirings move keys alone.
// Who owns what: thread t owns outputs [t*P/T, (t+1)*P/T) of each round; a join ends a round.
// Memory: two copies of the products and two of the run bounds; nothing of order rows.
// Determinism: merging is stable (left run first), so products of a row are added in order of k, by one thread.
// Cost: products * log2(columns) moves.
// Distance to the limit: docs/measurements/spmv.md (SpMSpV).
// Why the radix sort was not enough: a few long columns take one or two rounds here and always two or three
//   passes there; with many columns the radix sort wins.
#pragma once

#include "kernels/cpu/mxv/common_gather.hpp"
#include "kernels/phases.hpp"

namespace nz::kernels::cpu {

namespace merge_runs_detail {

/// How many of the first `diagonal` outputs of merging a[0, n) and b[0, m) come from a (ties: a first).
inline offset_t merge_path(const index_t* a, offset_t n, const index_t* b, offset_t m, offset_t diagonal) {
    offset_t low = std::max<offset_t>(0, diagonal - m), high = std::min(diagonal, n);
    while (low < high) {
        const offset_t mid = (low + high) / 2;
        if (a[mid] <= b[diagonal - 1 - mid])
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/// Writes outputs [begin, end) of one round; bounds[0..runs] delimit the runs.
template <bool Values, class V>
void merge_piece(offset_t begin, offset_t end, const offset_t* bounds, offset_t runs, const index_t* rows,
                 const V* values, index_t* to_rows, V* to_values) {
    if (begin >= end) return;
    offset_t pair = (std::upper_bound(bounds, bounds + runs + 1, begin) - bounds - 1) / 2 * 2;
    while (begin < end) {
        const offset_t first = bounds[pair], middle = bounds[std::min(pair + 1, runs)],
                       last = bounds[std::min(pair + 2, runs)];
        const offset_t stop = std::min(end, last);
        offset_t i =
            first + merge_path(rows + first, middle - first, rows + middle, last - middle, begin - first);
        offset_t j = begin - i + middle;
        for (; begin < stop; ++begin) {
            const bool left = j >= last || (i < middle && rows[i] <= rows[j]);
            const offset_t from = left ? i++ : j++;
            to_rows[begin] = rows[from];
            if constexpr (Values) to_values[begin] = values[from];
        }
        pair += 2;
    }
}

}  // namespace merge_runs_detail

template <class Cell>
void csc_gather_merge(const mxv_arguments& a) {
    using V = typename Cell::value;
    constexpr bool with_values = carries_values<Cell>;
    phase_watch::mark(phase::begin);
    plan::workspace_parts memory(a.workspace);
    const gathered_columns<Cell> columns(a, memory);
    const offset_t n = columns.products();
    const int threads = columns.threads();
    auto* bounds = memory.take<offset_t>(a.u_count + 1);
    // Empty columns are no runs.
    offset_t runs = 0;
    for (offset_t c = 0; c < a.u_count; ++c)
        if (columns.starts[c] < columns.starts[c + 1]) bounds[runs++] = columns.starts[c];
    bounds[runs] = n;
    int rounds = 0;
    for (offset_t r = runs; r > 1; r = (r + 1) / 2) ++rounds;
    product_copies<Cell> copies(a, memory, n, rounds);
    copies.gather(columns);
    phase_watch::mark(phase::common);
    for (; runs > 1; runs = (runs + 1) / 2) {
        parallel::run(threads, [&](int t, int) {
            const auto [begin, end] = parallel::piece(n, t, threads);
            merge_runs_detail::merge_piece<with_values>(begin, end, bounds, runs, copies.rows, copies.values,
                                                        copies.to_rows, copies.to_values);
        });
        for (offset_t r = 0; r < (runs + 1) / 2; ++r) bounds[r] = bounds[2 * r];
        bounds[(runs + 1) / 2] = n;
        copies.swap();
    }
    phase_watch::mark(phase::sort);
    *a.out_count = reduce_by_row<Cell>(a.out_indices, static_cast<V*>(a.out_values), n);
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cpu
