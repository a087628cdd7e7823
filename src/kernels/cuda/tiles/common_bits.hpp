// Entry point of the conversion from CSR to bit tiles on a GPU.
#pragma once

#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

void make_bit_tiles(const device_bit_build& build, void* stream);

}  // namespace nz::kernels::cuda
