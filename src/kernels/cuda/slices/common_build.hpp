// Entry points of the conversion from CSR to slices on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/device_slices.hpp"

namespace nz::kernels::cuda {

std::size_t slice_scan_bytes(index_t counts);
void count_slices(const device_slice_build& build, void* stream);
void fill_slices(const device_slice_build& build, void* stream);

}  // namespace nz::kernels::cuda
