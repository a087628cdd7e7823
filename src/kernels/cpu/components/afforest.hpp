#pragma once

#include "kernels/components_arguments.hpp"

namespace nz::kernels::cpu {

void afforest(const components_arguments& arguments);

}  // namespace nz::kernels::cpu
