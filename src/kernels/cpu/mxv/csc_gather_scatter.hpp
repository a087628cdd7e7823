// mxv/csc_gather_scatter: w = A u for sparse u, products scattered without sorting (yang2015, "no sort").
//
// One thread: gathers the columns in order and adds each product where it belongs; a bitmap says which places
//   hold a sum already, so values need no clearing.
// Several threads: rows are divided into one range a thread. Each thread counts, then writes the products of its
//   share into one bucket a range; after a join it adds up the buckets of its own range, first thread's first.
// Who owns what: a thread owns a range of rows (multiples of 64: whole bitmap words) in the adding phase.
// Memory: a bitmap of rows / 8 bytes cleared and read once; with several threads products written and read once.
// Determinism: products of a row are added in order of k whatever the number of threads.
// Cost: rows / 64 + products scattered accesses to w: falls with the work, down to clearing the bitmap.
// Distance to the limit: docs/measurements.md (SpMSpV).
// Why SpMV was not enough: it reads every entry of A, whatever u holds.
#pragma once

#include "kernels/cpu/mxv/common_gather.hpp"

namespace nz::kernels::cpu {

namespace scatter_detail {

template <class Cell>
void add_at(const mxv_arguments& a, index_t i, typename Cell::value x) {
    auto* out = static_cast<typename Cell::value*>(a.out_values);
    if (!bits::test(a.out_present, i)) {
        bits::set(a.out_present, i);
        out[i] = x;
    } else if constexpr (!Cell::first_wins) {
        out[i] = Cell::add(out[i], x);
    }
}

template <class Cell>
void scatter_in_buckets(const mxv_arguments& a, const gathered_columns<Cell>& columns,
                        plan::workspace_parts& memory, int threads) {
    using V = typename Cell::value;
    const offset_t products = columns.products();
    auto* rows = memory.take<index_t>(products);
    auto* values = memory.take<V>(products);
    auto* counts = memory.take<offset_t>(static_cast<offset_t>(threads) * threads);  // [range][thread]
    const offset_t range = (a.output_size / threads / bits::per_word + 1) * bits::per_word;
    parallel::run(threads, [&](int t, int) {
        const auto [begin, end] = parallel::piece(products, t, threads);
        for (int r = 0; r < threads; ++r) counts[r * threads + t] = 0;
        columns.visit(begin, end, [&](offset_t, index_t i, V) { ++counts[i / range * threads + t]; });
    });
    offset_t running = 0;
    for (int c = 0; c < threads * threads; ++c) running += std::exchange(counts[c], running);
    parallel::run(threads, [&](int t, int) {
        const auto [begin, end] = parallel::piece(products, t, threads);
        columns.visit(begin, end, [&](offset_t, index_t i, V x) {
            const offset_t place = counts[i / range * threads + t]++;
            rows[place] = i;
            values[place] = x;
        });
    });
    // Every counter now stands at the end of its bucket, so range r ends where its last thread's bucket does.
    parallel::run(threads, [&](int r, int) {
        const offset_t begin = r == 0 ? 0 : counts[r * threads - 1], end = counts[(r + 1) * threads - 1];
        for (offset_t k = begin; k < end; ++k) add_at<Cell>(a, rows[k], values[k]);
    });
}

}  // namespace scatter_detail

template <class Cell>
void csc_gather_scatter(const mxv_arguments& a) {
    plan::workspace_parts memory(a.workspace);
    const gathered_columns<Cell> columns(a, memory);
    std::fill_n(a.out_present, bits::words_for(a.output_size), bits::word{0});
    if (const int threads = columns.threads(); threads > 1)
        return scatter_detail::scatter_in_buckets<Cell>(a, columns, memory, threads);
    columns.visit(0, columns.products(), [&](offset_t, index_t i, typename Cell::value x) {
        scatter_detail::add_at<Cell>(a, i, x);
    });
}

}  // namespace nz::kernels::cpu
