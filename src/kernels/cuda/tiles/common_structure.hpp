// Entry point of the structure of value tiles without values, on a GPU.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

void make_structure(const device_tile_build& build, void* stream);

}  // namespace nz::kernels::cuda
