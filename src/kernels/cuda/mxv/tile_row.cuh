// mxv/tile_row on a GPU: every row of tiles of w = A u over the tiles that meet an entry of u (ji2022, algorithm 4).
//
// Who owns what: a warp owns 32 rows: two rows of tiles of 16, half a warp each, one of 32, half of one of 64. Its lanes look at
//   16 tiles side by side and drop those whose columns hold no entry of u. The locals of the others, eight bytes a lane, are
//   held against u's presence bits; what is met is multiplied, an entry a lane, and added to its row's sum in shared memory,
//   lanes of one row in their order. (The paper gives a row two lanes and a row of tiles a warp.)
// Memory: four bytes for a tile, two to eight of u's presence, and for a tile that u meets where its entries begin, one or two
//   bytes an entry, and the values of those that are met. Of a tile of 64 one row start.
// Mask: 32 rows none of which it lets through end at once.
// Where u has an entry everywhere, lanes go along their own rows, four entries at a time (common_tile_full): sums in shared memory
//   take 91% of the wavefronts that go there (laplace3d:100), 1.3 to 1.4 times as long on three of five matrices, 0.8 on two.
// Determinism: a row's entries in an order that follows from the tiles and u's presence. `any` is the entry with the smallest
//   column.
// Cost: tiles / 16 loads side by side, words of locals / 16 turns, and as many additions as a lane's word has hits.
// Distance to the limit (H200): at a density of 0.1 0.84 to 1.5 times csr_merge's time with every entry: instructions bound it
//   (2.4 a warp for every entry of A, 68% of the issue slots, laplace3d:100). At 0.0001 11 to 50 us, 5 of them a launch between
//   two events; docs/measurements.md (tiles on a GPU).
// Why csr_row was not enough: it reads a column and a presence bit for every entry of A, whatever u holds.
#pragma once

#include "kernels/cuda/mxv/common_tile.cuh"
#include "kernels/cuda/mxv/common_tile_full.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void tile_row(const device_mxv_arguments& a, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    if (a.common.output_size == 0) return;
    if (a.common.u_present)
        sum_tile_rows<Cell>(a.common, on);
    else
        sum_tile_rows_of_full<Cell>(a.common, on);
}

}  // namespace nz::kernels::cuda
