// mxv/tile_row on a GPU: every row of tiles of w = A u over the tiles that meet an entry of u (ji2022, algorithm 4).
//
// Who owns what: a lane owns a row; the 16 or 32 lanes of a group, whose rows share a row of tiles, look at its tiles side by
//   side, drop those whose columns hold no entry of u, and walk through the others together, each lane along its own row
//   of the tile. (The paper gives a row two lanes and a row of tiles a warp; here a warp has two rows of tiles of 16.)
// Memory: four bytes for a tile, two to eight of u's presence, and for a tile that u meets its row starts, values and one
//   or two bytes an entry.
// Mask: a row of tiles none of whose rows it lets through ends at once.
// Determinism: a row's entries in one order, by one lane. `any` is the entry with the smallest column.
// Cost: tiles / 16 loads side by side, and for a tile that u meets as many turns as its longest row has entries.
// Distance to the limit (H200): with every entry of u 1.5 to 3.1 times csr_merge's time; at a density of 0.0001 a fifth of
//   csr_merge's to four fifths. What holds it back is taken to be the chain of dependent loads a tile, since reading four
//   entries of a row at a time changed nothing: docs/measurements.md (tiles on a GPU).
// Why csr_row was not enough: it reads a column and a presence bit for every entry of A, whatever u holds.
#pragma once

#include "kernels/cuda/mxv/common_tile.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void tile_row(const device_mxv_arguments& a, void* stream) {
    if (a.common.output_size) sum_tiles<Cell>(a.common, nullptr, static_cast<cudaStream_t>(stream));
}

}  // namespace nz::kernels::cuda
