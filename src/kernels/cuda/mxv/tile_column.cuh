// mxv/tile_column on a GPU: the rows of tiles of w = A u that u's tiles reach, and no others (ji2022, section 3.3, driven by
// the vector).
//
// First the columns of tiles in which u has an entry mark the rows of tiles that they meet, a warp a column; then the marked
//   ones are summed as tile_row does. The paper merges columns into the result with atomic additions; marking first keeps
//   a float's sum in one order and works for any monoid.
// Who owns what: marking: a warp takes 32 words of u's presence and goes through the lists of its tiles with all lanes.
//   Summing: as tile_row; a warp whose rows of tiles are not marked writes its word of the result's presence and ends.
// Memory: u's presence bitmap, the lists of its tiles, a bit a row of tiles, the result's presence, and what tile_row reads
//   of the marked rows.
// Determinism: as tile_row; marks have no order.
// Cost: entries / 32 words, lists of u's tiles, rows / 32 words; three launches.
// Distance to the limit (H200): 15 to 43 us at a density of 0.0001 on matrices of 13 to 26 M entries, of which three launches
//   and the clearing of the marks are a large part: docs/measurements.md (tiles on a GPU).
// Why tile_row was not enough: it asks every tile whether u has something for it.
#pragma once

#include "kernels/cuda/mxv/common_mark.hpp"
#include "kernels/cuda/mxv/common_tile.cuh"
#include "plan/mxv_workspace.hpp"

namespace nz::kernels::cuda {

template <class Cell>
void tile_column(const device_mxv_arguments& a, void* stream) {
    const mxv_arguments& c = a.common;
    const auto on = static_cast<cudaStream_t>(stream);
    if (c.output_size == 0) return;
    if (!c.u_present) return sum_tiles<Cell>(c, nullptr, on);  // u has an entry everywhere
    check(cudaMemsetAsync(c.workspace, 0, plan::tile_column_workspace(c.output_size, c.tiles.size), on));
    auto* marked = static_cast<std::uint32_t*>(c.workspace);
    if (c.u_size)
        mark_tile_rows(c.tiles, reinterpret_cast<const std::uint32_t*>(c.u_present), c.u_size, marked, on);
    sum_tiles<Cell>(c, marked, on);
}

}  // namespace nz::kernels::cuda
