#pragma once

#include "kernels/select_arguments.hpp"

namespace nz::kernels::cuda {

/// Entries within a region of rows x columns, or outside it; select_fill writes them.
void assign_region_count(const device_select_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
