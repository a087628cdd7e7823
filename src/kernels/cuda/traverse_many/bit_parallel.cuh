// Entry point of traverse_many/bit_parallel on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels::cuda {

void bit_parallel(const device_traverse_many_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
