// Entry points of the conversion from CSR to bit tiles on a GPU.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

/// Temporary bytes for counts of so many rows of tiles.
std::size_t bit_sum_bytes(index_t tile_rows);
void count_bit_tiles(const device_bit_build& build, void* stream);
void fill_bit_tiles(const device_bit_build& build, void* stream);

}  // namespace nz::kernels::cuda
