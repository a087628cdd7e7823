#pragma once

#include "kernels/kronecker_arguments.hpp"

namespace nz::kernels::cpu {

void kronecker_rows(const kronecker_arguments& arguments);

}  // namespace nz::kernels::cpu
