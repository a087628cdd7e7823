// Entry points of select/rising on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/select_arguments.hpp"

namespace nz::kernels::cuda {

std::size_t rising_scan_bytes(index_t rows);
void rising_count(const rising_arguments& arguments, void* stream);
void rising_fill(const rising_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
