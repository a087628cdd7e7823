#pragma once

#include "kernels/reduce_rows_arguments.hpp"

namespace nz::kernels::cpu {

/// Returns how many rows have an entry.
offset_t reduce_rows(const reduce_rows_arguments& arguments);

}  // namespace nz::kernels::cpu
