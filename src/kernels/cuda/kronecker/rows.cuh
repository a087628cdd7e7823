#pragma once

#include "kernels/kronecker_arguments.hpp"

namespace nz::kernels::cuda {

void kronecker_rows(const device_kronecker_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
