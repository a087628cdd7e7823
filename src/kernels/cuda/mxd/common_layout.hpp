// Dense matrices from one layout to another.
#pragma once

#include "kernels/device_mxd_arguments.hpp"

namespace nz::kernels::cuda {

void copy_dense(const device_dense_copy& copy, void* stream);

}  // namespace nz::kernels::cuda
