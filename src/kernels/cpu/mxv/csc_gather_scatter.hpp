// mxv/csc_gather_scatter: w = A u for sparse u, products scattered without sorting (yang2015, "no sort").
//
// One thread: gathers the columns in order and adds each product where it belongs; a bitmap says which places
//   hold a sum already, so values need no clearing.
// Several threads, four or more where a cache holds all sums anyway: rows are divided into buckets whose sums a second-level cache holds. Each thread counts, then writes the
//   products of its share into its parts of the buckets; after a join whole buckets are added up, first thread's part first.
// Who owns what: whichever thread is free has the next bucket (multiples of 64 rows: whole bitmap words) in the adding phase.
// Memory: a bitmap of rows / 8 bytes cleared and read once; with several threads products written and read once.
// Determinism: products of a row are added in order of k whatever the number of threads.
// Cost: rows / 64 + products scattered accesses to w: falls with the work, down to clearing the bitmap. A range of rows a thread,
//   found by a division, with counters that threads shared lines of, took 20 ns a product on rmat:16,48 with two threads.
// Distance to the limit: docs/measurements/spmv.md (SpMSpV).
// Why SpMV was not enough: it reads every entry of A, whatever u holds.
#pragma once

#include "kernels/cpu/mxv/common_gather.hpp"
#include "kernels/phases.hpp"

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
    const int bits = plan::scatter_bits(a.output_size, a.threads);
    const offset_t buckets = (offset_t{a.output_size} >> bits) + 1,
                   stride = plan::scatter_counters(a.output_size, a.threads);
    auto* rows = memory.take<index_t>(products);
    auto* values = memory.take<V>(products);
    auto* counts = memory.take<offset_t>(stride * threads);  // [thread][bucket]
    parallel::run(threads, [&](int t, int) {
        const auto [begin, end] = parallel::piece(products, t, threads);
        offset_t* const mine = counts + t * stride;
        std::fill_n(mine, buckets, 0);
        columns.visit(begin, end, [&](offset_t, index_t i, V) { ++mine[i >> bits]; });
    });
    offset_t running = 0;
    for (offset_t b = 0; b < buckets; ++b)
        for (int t = 0; t < threads; ++t) running += std::exchange(counts[t * stride + b], running);
    parallel::run(threads, [&](int t, int) {
        const auto [begin, end] = parallel::piece(products, t, threads);
        offset_t* const mine = counts + t * stride;
        columns.visit(begin, end, [&](offset_t, index_t i, V x) {
            const offset_t place = mine[i >> bits]++;
            rows[place] = i;
            if constexpr (carries_values<Cell>) values[place] = x;
        });
    });
    phase_watch::mark(phase::common);
    // Every counter now stands at the end of its thread's part, so a bucket ends where its last thread's does.
    const offset_t* const ends = counts + (threads - 1) * stride;
    parallel::for_chunks(threads, buckets, 1, [&](offset_t b, offset_t) {
        for (offset_t k = b ? ends[b - 1] : 0; k < ends[b]; ++k)
            add_at<Cell>(a, rows[k], carries_values<Cell> ? values[k] : V(1));
    });
}

}  // namespace scatter_detail

template <class Cell>
void csc_gather_scatter(const mxv_arguments& a) {
    phase_watch::mark(phase::begin);
    plan::workspace_parts memory(a.workspace);
    const gathered_columns<Cell> columns(a, memory);
    std::fill_n(a.out_present, bits::words_for(a.output_size), bits::word{0});
    if (const int threads = columns.threads();
        plan::scatters_in_buckets(a.output_size, sizeof(typename Cell::value), threads)) {
        scatter_detail::scatter_in_buckets<Cell>(a, columns, memory, threads);
    } else {
        phase_watch::mark(phase::common);
        columns.visit(0, columns.products(), [&](offset_t, index_t i, typename Cell::value x) {
            scatter_detail::add_at<Cell>(a, i, x);
        });
    }
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cpu
