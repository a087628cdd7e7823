// Entry points of the count of value tiles, and of their structure without values, on a GPU.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

/// Temporary bytes for counts of so many rows of tiles.
std::size_t tile_sum_bytes(index_t tile_rows);
void count_tiles(const device_tile_build& build, void* stream);
void fill_structure(const device_tile_build& build, void* stream);

}  // namespace nz::kernels::cuda
