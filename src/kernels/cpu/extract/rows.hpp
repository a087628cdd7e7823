#pragma once

#include "kernels/extract_arguments.hpp"

namespace nz::kernels::cpu {

void extract_rows_count(const extract_rows_arguments& arguments);
void extract_rows_fill(const extract_rows_arguments& arguments);

}  // namespace nz::kernels::cpu
