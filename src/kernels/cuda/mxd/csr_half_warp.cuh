// mxd/csr_half_warp: C = A B for dense B and C as matam2012 has it (section V): half a warp to a row, a column to a lane.
//
// Computes: for every row i and tile of 16 columns, sums of A(i,k) x B(k, tile), one in each of 16 lanes; the row's entries
//   are read by the lanes side by side and handed round (the paper: through shared memory, which its cards had to use).
// Who owns what: 16 lanes -> row and tile, lane -> column. No barrier, no workspace.
// Determinism: sums in the order of k: the reference's bits.
// Cost: nnz * columns products; the row is read again for every 16 columns.
// Selectable and in the bench, never planned: csr_tiled reads 16 bytes a lane and takes 64 doubles in one go.
#pragma once

#include "kernels/cuda/mxd/common_rows.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void mxd_csr_half_warp(const device_mxd_arguments& a, void* stream) {
    constexpr int lanes = 16;
    launch_mxd_rows<Cell, lanes, 1, tile_kind::loose>(
        a, static_cast<unsigned>((a.common.columns + lanes - 1) / lanes), stream);
}

}  // namespace nz::kernels::cuda
