// mxd/csr_tiled on a GPU: C = A B for dense B and C, a row to as many lanes as its tile of columns has words of 16 bytes.
//
// Computes: for every row i and tile of up to 64 doubles (128 floats), sums of A(i,k) x B(k, tile), in registers.
// Who owns what: group of 4 to 32 lanes -> row and tile; lane -> 16 bytes of columns. The lanes load the row's entries side by
//   side and hand them round by shuffles. No shared memory, no barrier, no workspace.
// Determinism: sums in the order of k, products not fused into them: the reference's bits.
// Cost: nnz * columns products; a warp takes as long as the longest of its rows.
// Distance to the limit (H200): docs/measurements.md. laplace3d:160 at 16 columns and more took 5.0 to 5.5 TB/s from the second-level
//   cache in a prototype, about what it gives: neighbouring rows are taken at the same time, so that rows of B which they
//   share come once.
// Why csr_half_warp was not enough: sixteen lanes leave half a warp without columns at 8 of them and go twice over the row at
//   32, and a value a lane asks for half as many bytes at once.
// What it leaves: short rows wait for each other, long rows for nobody (csr_merge).
#pragma once

#include "kernels/cuda/mxd/common_rows.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void mxd_csr_tiled(const device_mxd_arguments& a, void* stream) {
    with_tile<Cell>(a.common, [&]<int Lanes, int Values, tile_kind Kind>(unsigned tiles) {
        launch_mxd_rows<Cell, Lanes, Values, Kind>(a, tiles, stream);
    });
}

}  // namespace nz::kernels::cuda
