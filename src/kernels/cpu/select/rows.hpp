#pragma once

#include "kernels/select_arguments.hpp"

namespace nz::kernels::cpu {

void select_rows_count(const select_arguments& arguments);
void select_rows_fill(const select_arguments& arguments);

}  // namespace nz::kernels::cpu
