// The first of the two entry points of ewise/balanced_path on a GPU, which is the same for all operators and types.
#pragma once

#include "kernels/device_ewise_arguments.hpp"

namespace nz::kernels::cuda {

/// Cuts the path into tiles, marks it, and counts the results.
void balanced_path_count(const device_ewise_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
