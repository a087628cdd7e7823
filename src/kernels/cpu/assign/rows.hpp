#pragma once

#include "kernels/extract_arguments.hpp"

namespace nz::kernels::cpu {

void assign_rows_count(const assign_rows_arguments& arguments);
void assign_rows_fill(const assign_rows_arguments& arguments);

}  // namespace nz::kernels::cpu
