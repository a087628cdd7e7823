// Entry point of the listing of strips on a GPU.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

/// Counts, or where there is room for them writes the strips.
void list_strips(const device_tile_lists& lists, void* stream);

}  // namespace nz::kernels::cuda
