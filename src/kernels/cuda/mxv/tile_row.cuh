// mxv/tile_row on a GPU: every row of tiles of w = A u over the tiles that meet an entry of u (ji2022, algorithm 4).
//
// Who owns what: a warp owns 64 rows: four rows of tiles of 16, two of 32, one of 64. Its lanes look at 32 tiles side by side
//   and drop those whose columns hold no entry of u. The locals of the others, 16 bytes a lane, are held against u's presence
//   bits. What is met stands in line until there is an entry a lane: 32 products at a time, which the lanes of the rows add up
//   (common_tile). (The paper gives a row two lanes and a row of tiles a warp.)
// Memory: twelve bytes for a tile, two to eight of u's presence, and for a tile that u meets one or two bytes an entry, and the
//   values of those that are met; five bytes and a word of u's presence for an entry outside tiles.
// Where u has few entries (plan::strips_pay), a block's warps look at strips of 64 rows and 16 columns first, and share out the
//   64 rows that are left (common_tile_few).
// Mask: 64 rows none of which it lets through end at once, tiles of rows none of which it lets through are dropped.
// Where u has an entry everywhere, lanes go along their own rows, four entries at a time (common_tile_full).
// Determinism: a row's entries in an order that follows from the tiles, u's presence and the mask: in tiles, then outside; where a
//   word of locals a lane holds 96 hits or more, the first of each word before the second. `any` is the entry with the
//   smallest column.
// Cost: tiles / 32 looks, words of locals / 32 turns, hits / 32 sums; strips / 32 looks first where u has few entries.
// Distance to the limit (H200): at a density of 0.1 0.74 to 1.11 times csr_merge's time with every entry. On laplace2d:2100
//   100 us, 47 for what must be moved: a warp's chain of five loads with half of the warps that a multiprocessor could hold. At
//   0.0001 10 to 14 us with 21 to 27 M entries, of which a launch between two events is 5.6, strips and their barrier 2, and the sum of 64 rows, five
//   loads and some 480 instructions one after another, the rest; docs/measurements/tiles.md (tiles on a GPU).
// Why csr_row was not enough: it reads a column and a presence bit for every entry of A, whatever u holds.
#pragma once

#include "kernels/cuda/mxv/common_tile.cuh"
#include "kernels/cuda/mxv/common_tile_few.cuh"
#include "kernels/cuda/mxv/common_tile_full.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void tile_row(const device_mxv_arguments& a, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    if (a.common.output_size == 0) return;
    if (!a.common.u_present)
        sum_tile_rows_of_full<Cell>(a.common, on);
    else if (a.common.tiles.met_starts)
        sum_tile_rows_of_few<Cell>(a.common, on);
    else
        sum_tile_rows<Cell>(a.common, on);
}

}  // namespace nz::kernels::cuda
