// mxv/csr_row: w(i) = sum over k of A(i,k) x u(k), row by row (the row-based matvec of yang2018, section 3.1).
//
// Who owns what: a thread owns a contiguous range of whole rows with about the same rows + entries as the
//   others (schedule/rows.hpp), boundaries at multiples of 64, so that it alone writes the words of the
//   presence bitmap. No synchronisation but the join at the end.
// Memory: offsets, indices and values are read once, in order; u by gathers; one value a row is written.
//   No workspace.
// Determinism: a row is summed by one thread in an order fixed by the row: same bits for any thread count.
// Cost: nnz * (4 + value) + rows * (offset + value) bytes from memory; u comes from cache while it fits.
// Distance to the limit: docs/measurements/spmv.md, from `nz bench matvec`, as a share of the read bandwidth.
// What it leaves: one long row keeps one thread busy (csr_merge splits it), and rows of a few entries pay a
//   mispredicted branch each when their lengths vary.
#pragma once

#include "kernels/cpu/mxv/common_row.hpp"
#include "kernels/cpu/schedule/rows.hpp"

namespace nz::kernels::cpu {

template <class Cell>
void csr_row(const mxv_arguments& a) {
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        parallel::run(a.threads, [&](int t, int threads) {
            const row_reader<Cell, Constant, Gaps> reader(a);
            auto* out = static_cast<typename Cell::value*>(a.out_values);
            const index_t first = first_row(a.offsets, a.output_size, t, threads),
                          last = first_row(a.offsets, a.output_size, t + 1, threads);
            offset_t begin = a.offsets[first];
            if (a.output != mxv_output::own) {
                for (index_t i = first; i < last; ++i) {
                    const offset_t end = a.offsets[i + 1];
                    update_row(reader, a, i, begin, end, out[i]);
                    begin = end;
                }
                return;
            }
            if (!a.out_present) {  // every row has entries and u has no gaps
                for (index_t i = first; i < last; ++i) {
                    const offset_t end = a.offsets[i + 1];
                    reader.sum(i, begin, end, a.early_exit, out[i]);
                    begin = end;
                }
                return;
            }
            for (index_t i = first; i < last;) {
                const index_t word_end = std::min<index_t>(last, i + bits::per_word);
                bits::word present = 0;
                const index_t word_first = i;
                for (; i < word_end; ++i) {
                    const offset_t end = a.offsets[i + 1];
                    typename Cell::value value{};
                    if (begin < end && reader.sum(i, begin, end, a.early_exit, value))
                        present |= bits::word{1} << (i - word_first);
                    out[i] = value;
                    begin = end;
                }
                a.out_present[word_first / bits::per_word] = present;
            }
        });
    });
}

}  // namespace nz::kernels::cpu
