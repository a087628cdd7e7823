// Entry points of the conversion from CSR to tiles on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

std::size_t tile_scan_bytes(index_t counts);
unsigned sample_tiles(const device_tile_build& build, void* stream);
void make_tiles(const device_tile_build& build, void* stream);
void list_tiles(const device_tile_lists& lists, void* stream);

}  // namespace nz::kernels::cuda
