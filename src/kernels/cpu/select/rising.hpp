#pragma once

#include "kernels/select_arguments.hpp"

namespace nz::kernels::cpu {

void select_rising_count(const rising_arguments& arguments);
void select_rising_fill(const rising_arguments& arguments);

}  // namespace nz::kernels::cpu
