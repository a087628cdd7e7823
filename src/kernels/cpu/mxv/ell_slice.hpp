// mxv/ell_slice: w = A u by 32 rows at a time that are equally long (storage/ell_slices.hpp; SELL of the field).
//
// Who owns what: a thread owns a run of slices with about as many entries as the others', then a run of the rows that stand whole; the 32 sums
//   of a slice stay in registers while its entries go by.
// Memory: entries once, in order; u by gathers, or, where the columns are ranked, its ordered copy in the workspace; 4 bytes a row say where
//   its sum goes. The output is cleared first where a row may be without a sum.
// Synchronisation: a join between what is cleared (and ordered) and the sums, and one at the end; where u has gaps, presence is set by atomics.
// Determinism: a row of a slice is summed by one thread in the order of its entries, one that stands whole as csr_row sums it;
//   the same bits for any number of threads.
// Cost: csr_row's entries; 16 bytes more a row.
// Distance to the limit: 90 to 97% of the floor on random:1000000,16, 80 to 81% on rmat_directed:20,8 by ranks, 44 to 72% on rows of three entries, where y and the
//   rows' numbers are as much as the entries (two threads, four runs). Table: docs/measurements/spmv.md (SpMV, double).
// Why csr_row was not enough: it branches on each row's length, and where lengths vary that branch goes wrong once a row (3.3 of 8.5 ms on
//   rmat_directed:20,8); and one row's gathers are few at a time. csr_merge forms products without a branch, and writes and reads them once more.
// What it leaves: making the slices takes the time of some products, so that the plan takes it where many are expected; long rows, and lengths
//   that fewer than 32 rows of a window have, stand whole (61% of the entries of rmat_directed:20,8).
#pragma once

#include "kernels/cpu/mxv/common_ranked.hpp"
#include "kernels/cpu/mxv/common_row.hpp"

#include <atomic>

namespace nz::kernels::cpu {

/// Sums of one slice's rows, and which of them have any.
template <class Reader>
struct ell_sums {
    using cell = typename Reader::cell;
    static constexpr int rows = storage::slice_rows;

    typename cell::value of[rows]{};
    std::uint32_t met = 0;

    ell_sums(const Reader& reader, const index_t* row, offset_t begin, offset_t end) {
        if constexpr (Reader::gaps) {
            for (offset_t k = begin; k < end; k += rows)
                for (int r = 0; r < rows; ++r)
                    if (reader.meets(k + r)) add(reader.product(row[r], k + r), r);
        } else {
            met = ~std::uint32_t{0};
            for (int r = 0; r < rows; ++r) of[r] = reader.product(row[r], begin + r);
            if constexpr (!cell::first_wins)
                for (offset_t k = begin + rows; k < end; k += rows) {
                    reader.prefetch_stream(k, rows);
                    for (int r = 0; r < rows; ++r) of[r] = cell::add(of[r], reader.product(row[r], k + r));
                }
        }
    }

private:
    void add(typename cell::value product, int r) {
        const bool had = met >> r & 1;
        if (!had)
            of[r] = product;
        else if constexpr (!cell::first_wins)
            of[r] = cell::add(of[r], product);
        met |= std::uint32_t{1} << r;
    }
};

/// Where part t of `threads` begins among `count` pieces, whose entries begin at starts: with about as many for each.
inline offset_t first_piece(const offset_t* starts, offset_t count, int t, int threads) {
    if (t == threads) return count;
    const offset_t wanted = starts[0] + (starts[count] - starts[0]) * t / threads;
    return std::lower_bound(starts, starts + count, wanted) - starts;
}

/// What rows without a sum hold, and which rows have one by the entries alone.
template <class Cell>
void clear_output(const mxv_arguments& a) {
    if (!a.out_present) return;
    auto* out = static_cast<typename Cell::value*>(a.out_values);
    parallel::for_pieces(
        a.threads, a.output_size,
        [&](offset_t begin, offset_t end) {
            std::fill(out + begin, out + end, typename Cell::value{});
            const auto first = begin / bits::per_word, last = static_cast<offset_t>(bits::words_for(end));
            if (a.u_present)
                std::fill(a.out_present + first, a.out_present + last, bits::word{0});
            else
                std::copy(a.ell.present + first, a.ell.present + last, a.out_present + first);
        },
        bits::per_word);
}

/// The rows of part t.
template <class Reader>
void sum_part(const mxv_arguments& a, const Reader& reader, int t, int threads) {
    using V = typename Reader::cell::value;
    constexpr int rows = storage::slice_rows;
    const ell_arguments& e = a.ell;
    auto* out = static_cast<V*>(a.out_values);
    const auto has = [&](index_t i) {
        if constexpr (Reader::gaps)
            std::atomic_ref(a.out_present[i / bits::per_word])
                .fetch_or(bits::word{1} << (i % bits::per_word), std::memory_order_relaxed);
    };
    const offset_t last = first_piece(e.starts, e.slices, t + 1, threads);
    for (offset_t s = first_piece(e.starts, e.slices, t, threads); s < last; ++s) {
        const index_t* row = e.rows + s * rows;
        const ell_sums<Reader> sums(reader, row, e.starts[s], e.starts[s + 1]);
        for (int r = 0; r < rows; ++r)
            if (!Reader::gaps || sums.met >> r & 1) {
                out[row[r]] = sums.of[r];
                has(row[r]);
            }
    }
    const index_t* whole = e.rows + offset_t{e.slices} * rows;
    const offset_t end = first_piece(e.whole_starts, e.whole, t + 1, threads);
    for (offset_t q = first_piece(e.whole_starts, e.whole, t, threads); q < end; ++q) {
        V sum{};
        if (!reader.sum(whole[q], e.whole_starts[q], e.whole_starts[q + 1], false, sum)) continue;
        out[whole[q]] = sum;
        has(whole[q]);
    }
}

template <class Cell>
void ell_slice(const mxv_arguments& a) {
    clear_output<Cell>(a);
    mxv_arguments by_places = a;
    by_places.indices = a.ell.places;
    if constexpr (Cell::reads_b)
        if (a.ell.columns) by_places = by_ranks<Cell>(a, a.ell.columns, a.ell.held, a.ell.places);
    with_row_reader<Cell>(by_places, [&]<bool Constant, bool Gaps>() {
        const row_reader<Cell, Constant, Gaps> reader(by_places);
        parallel::run(a.threads, [&](int t, int threads) { sum_part(by_places, reader, t, threads); });
    });
}

}  // namespace nz::kernels::cpu
