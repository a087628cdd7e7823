// Entry point of traverse/tile on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/tile_arguments.hpp"

namespace nz::kernels::cuda {

void tile_search(const device_tile_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
