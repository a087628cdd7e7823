// The search over bit tiles of 32 by blocks that hold their share of it.
#pragma once

#include "kernels/cuda/common_offsets.cuh"
#include "kernels/cuda/traverse/common_tiles.cuh"

namespace nz::kernels::cuda::tiled {

/// Whether the blocks of so many multiprocessors can hold its tiles.
bool holds(const search<std::uint32_t>& s, int multiprocessors);
/// All levels, and the entries in the rows `out` of what was reached; `s.shared` and everything else in the workspace may have any content. Nothing is extracted from the tiles.
void held_search(const search<std::uint32_t>& s, device_offsets out, int multiprocessors,
                 cudaStream_t stream);

}  // namespace nz::kernels::cuda::tiled
