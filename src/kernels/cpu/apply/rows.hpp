#pragma once

#include "kernels/apply_rows_arguments.hpp"

namespace nz::kernels::cpu {

void apply_rows(const apply_rows_arguments& arguments);

}  // namespace nz::kernels::cpu
