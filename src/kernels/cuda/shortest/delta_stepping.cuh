// Entry point of shortest/delta_stepping on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/shortest_arguments.hpp"

namespace nz::kernels::cuda {

void delta_stepping(const device_shortest_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
