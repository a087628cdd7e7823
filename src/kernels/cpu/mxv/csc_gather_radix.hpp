// mxv/csc_gather_radix: w = A u for sparse u; products are radix-sorted by row, then reduced by key (yang2015).
//
// Passes: least significant digit first, 11 bits each and only the bits that row numbers need (two passes to 4 M
//   rows). A pass is a histogram a thread, one scan over (digit, thread), a scatter that keeps equal keys in order.
//   Structure-only semirings (pair) sort keys without values (yang2018, section 5.5).
// Who owns what: thread t owns products [t*P/T, (t+1)*P/T) of each pass; joins between the steps of a pass.
// Memory: two copies of the products; nothing of order rows.
// Determinism: the sort is stable, so products of a row are added in order of k, by one thread.
// Cost: passes * products * 2 * (4 + value) bytes.
// Distance to the limit: docs/measurements/spmv.md (SpMSpV).
// Why csc_gather_scatter was not enough: it clears and reads a bitmap of all rows, which few products do not pay for. Why this
//   one is not for many: they move once into buckets there, and twice through all memory here.
#pragma once

#include "kernels/cpu/mxv/common_gather.hpp"
#include "kernels/phases.hpp"

#include <bit>

namespace nz::kernels::cpu {

namespace radix_detail {

inline constexpr int digit_bits = plan::radix_digit_bits, digits = plan::radix_digits;

inline int passes_for(index_t rows) {
    return std::max(1, (static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::max(rows - 1, 1)))) +
                        digit_bits - 1) /
                           digit_bits);
}

/// One stable pass from (rows, values) to (to_rows, to_values); counters holds digits * threads.
template <bool Values, class V>
void pass(int threads, offset_t n, int shift, offset_t* counters, const index_t* rows, const V* values,
          index_t* to_rows, V* to_values) {
    const auto digit = [&](offset_t k) { return rows[k] >> shift & (digits - 1); };
    parallel::run(threads, [&](int t, int) {
        offset_t* mine = counters + static_cast<offset_t>(t) * digits;
        std::fill_n(mine, digits, offset_t{0});
        const auto [begin, end] = parallel::piece(n, t, threads);
        for (offset_t k = begin; k < end; ++k) ++mine[digit(k)];
    });
    offset_t running = 0;
    for (int d = 0; d < digits; ++d)
        for (int t = 0; t < threads; ++t)
            running += std::exchange(counters[static_cast<offset_t>(t) * digits + d], running);
    parallel::run(threads, [&](int t, int) {
        offset_t* mine = counters + static_cast<offset_t>(t) * digits;
        const auto [begin, end] = parallel::piece(n, t, threads);
        for (offset_t k = begin; k < end; ++k) {
            const offset_t place = mine[digit(k)]++;
            to_rows[place] = rows[k];
            if constexpr (Values) to_values[place] = values[k];
        }
    });
}

}  // namespace radix_detail

template <class Cell>
void csc_gather_radix(const mxv_arguments& a) {
    using V = typename Cell::value;
    constexpr bool with_values = carries_values<Cell>;
    phase_watch::mark(phase::begin);
    plan::workspace_parts memory(a.workspace);
    const gathered_columns<Cell> columns(a, memory);
    const offset_t n = columns.products();
    const int threads = columns.threads(), passes = radix_detail::passes_for(a.output_size);
    auto* counters = memory.take<offset_t>(static_cast<offset_t>(radix_detail::digits) * a.threads);
    product_copies<Cell> copies(a, memory, n, passes);
    copies.gather(columns);
    phase_watch::mark(phase::common);
    for (int p = 0; p < passes; ++p) {
        radix_detail::pass<with_values>(threads, n, p * radix_detail::digit_bits, counters, copies.rows,
                                        copies.values, copies.to_rows, copies.to_values);
        copies.swap();
    }
    phase_watch::mark(phase::sort);
    *a.out_count = reduce_by_row<Cell>(a.out_indices, static_cast<V*>(a.out_values), n);
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cpu
