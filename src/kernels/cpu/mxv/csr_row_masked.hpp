// mxv/csr_row_masked: the rows of w = A u that the mask lets through, and no others (yang2018, algorithm 2).
//
// Who owns what: a thread takes the next 16 words of the mask (1,024 rows) from a shared counter when it is done
//   with its last ones: what a masked row costs is not known beforehand, since early exit may end it at once.
//   It alone writes the presence words of those rows.
// Memory: mask and presence bitmap once; offsets, indices and values of allowed rows only. No workspace.
// Determinism: each row by one thread, entries in order; `any` is the entry that comes first.
// Cost: rows / 64 words of mask, and the entries of allowed rows up to the first terminal value with early exit
//   (any: the first entry met; lor: the first true one). Expected O(d * nnz(m)), table 1 of the paper.
// Distance to the limit: bound by latency, not bytes: docs/measurements/bfs.md (BFS, whose pull it is in the loop form).
// Why csr_row was not enough: it reads every row, also those whose result is thrown away.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_row.hpp"

#include <atomic>

namespace nz::kernels::cpu {

template <class Cell>
void csr_row_masked(const mxv_arguments& a) {
    constexpr std::size_t words_a_turn = 16;
    std::atomic<std::size_t> next{0};
    const std::size_t words = bits::words_for(a.output_size);
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        parallel::run(a.threads, [&](int, int) {
            const row_reader<Cell, Constant, Gaps> reader(a);
            auto* out = static_cast<typename Cell::value*>(a.out_values);
            for (std::size_t w = next.fetch_add(words_a_turn); w < words; w = next.fetch_add(words_a_turn))
                for (std::size_t k = w; k < std::min(words, w + words_a_turn); ++k) {
                    const bits::word allowed =
                        (a.mask ? (a.complement ? ~a.mask[k] : a.mask[k]) : ~bits::word{0}) &
                        bits::valid(a.output_size, k);
                    bits::word present = 0;
                    bits::for_each(allowed, 0, [&](offset_t bit) {
                        const auto i = static_cast<index_t>(k * bits::per_word + bit);
                        const offset_t begin = a.offsets[i], end = a.offsets[i + 1];
                        if (a.output != mxv_output::own)
                            update_row(reader, a, i, begin, end, out[i]);
                        else if (begin < end && reader.sum(i, begin, end, a.early_exit, out[i]))
                            present |= bits::word{1} << bit;
                    });
                    if (a.output == mxv_output::own) a.out_present[k] = present;
                }
        });
    });
}

}  // namespace nz::kernels::cpu
