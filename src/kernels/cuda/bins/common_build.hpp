// Entry points of the making of column bins on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/device_bins.hpp"

namespace nz::kernels::cuda {

std::size_t bin_temporary_bytes(offset_t nnz, offset_t ranges);
void make_bins(const device_bin_build& build, void* stream);

}  // namespace nz::kernels::cuda
