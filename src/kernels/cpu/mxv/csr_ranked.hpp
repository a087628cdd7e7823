// mxv/csr_ranked: w = A u as csr_row, with u in the order of its columns' entries (storage/ranked_columns.hpp), so that what the few columns
// with most entries read lies side by side and stays in caches.
//
// Who owns what: threads bring even pieces of u into the order; then rows are csr_row's.
// Memory: as csr_row, with the entries' ranks in place of their columns. u is read by gathers once more, and written. The workspace holds
//   the ordered u.
// Synchronisation: one join between the order and the rows.
// Determinism: rows keep the order of their entries: csr_row's bits.
// Cost: csr_row's, and columns * (4 + 2 values).
// Distance to the limit: 59 and 63% of the floor on rmat_directed:20,8 (two threads, two runs); a branch that goes wrong for most rows, whose
//   lengths vary, is a part of the rest. Sums by csr_merge in place of csr_row: 7.2 to 7.9 ms for 6.9 to 8.1.
// Why csr_row was not enough: where a few columns have most entries, a line that is fetched for one of them brings seven operands beside it
//   that are met seldom.
// What it leaves: making the ranks costs some products' time, so that the plan takes it where many are expected and a sample finds hot
//   columns, and where ell_slice, which takes 0.68 to 0.75 of its time on rmat_directed:20,8, does not serve. Operators that do not read u's
//   values go by csr_row.
#pragma once

#include "kernels/cpu/mxv/common_ranked.hpp"
#include "kernels/cpu/mxv/csr_row.hpp"

namespace nz::kernels::cpu {

template <class Cell>
void csr_ranked(const mxv_arguments& a) {
    if constexpr (Cell::reads_b)
        csr_row<Cell>(by_ranks<Cell>(a, a.ranked.columns, a.ranked.held, a.ranked.ranks));
    else
        csr_row<Cell>(a);
}

}  // namespace nz::kernels::cpu
