// Entry point of components/afforest on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/components_arguments.hpp"

namespace nz::kernels::cuda {

void afforest(const device_components_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
