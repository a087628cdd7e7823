// mxd/csr_tiled: C = A B for dense B and C, row by row, a tile of columns at a time in registers (the csrmm of matam2012,
// section V, as a CPU would have it: its half warp's partial rows are our registers).
//
// Computes: for every row i and tile of 32 doubles (64 floats), sums of A(i,k) x B(k, tile) over the row's entries; what is
//   left of the columns goes by tiles of 16, 8, 4, 2, 1. The row's entries are read from memory once and from the first
//   cache again for further tiles.
// Who owns what: a thread owns a contiguous range of whole rows with about the same rows + entries as the others
//   (schedule/rows.hpp). A C by columns is written in blocks of 16 rows, so that whole lines are. No synchronisation but the join.
// Memory: A once, C once, a row of B for each entry: from cache where columns of A are near those of rows before. No
//   workspace; a B by columns is packed by rows first where each of its rows is met twice or more (the plan says so), else read
//   in place with a gather a tile.
// Determinism: sums in the order of k: the reference's bits for any number of threads. Products are not fused into sums.
// Cost: nnz * columns products; bytes of A and C, and of B once where it fits the caches, else up to nnz rows of it.
// Distance to the limit: docs/measurements/dense.md, from `nz bench spmm`. Tried and left (8 to 64 columns): asking for rows of B ahead
//   won 0 to 12% where B comes from memory and lost up to 29% where it comes from cache; products fused into sums won up to 14%
//   in cache, with other bits than the reference's.
// Why one SpMV a column was not enough: it reads A once for each column.
// What it leaves: one long row keeps one thread busy (csr_merge splits it).
#pragma once

#include "kernels/cpu/mxd/common_tile.hpp"
#include "kernels/cpu/schedule/rows.hpp"

namespace nz::kernels::cpu {

template <class Cell>
void mxd_csr_tiled(const mxd_arguments& a) {
    with_layout(a, [&]<bool Contiguous>() {
        parallel::run(mxd_parts(a), [&](int t, int parts) {
            const tile_reader<Cell, Contiguous> reader(a);
            reader.rows(first_row(a.offsets, a.rows, t, parts), first_row(a.offsets, a.rows, t + 1, parts));
        });
    });
}

}  // namespace nz::kernels::cpu
