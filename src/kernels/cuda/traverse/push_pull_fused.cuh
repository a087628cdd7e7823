// Entry point of traverse/push_pull_fused on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/traverse_arguments.hpp"

namespace nz::kernels::cuda {

void push_pull_fused(const device_traverse_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
