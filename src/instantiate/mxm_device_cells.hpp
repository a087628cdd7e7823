// The manifest of mxm on a GPU: the same semirings and types as on the CPU. In a build without CUDA it is empty.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/device_mxm_arguments.hpp"

namespace nz::instantiate {

struct mxm_device_cell {
    binary_id add, multiply;
    dtype operand;
    kernels::device_mxm_kernel hash, masked_row, masked_dot, two_level_sort, dia_dia;
    kernels::device_mxm_kernel numeric;  ///< null where no values are multiplied
};

std::span<const mxm_device_cell> arithmetic_device_mxm();
std::span<const mxm_device_cell> tropical_device_mxm();
std::span<const mxm_device_cell> label_device_mxm();
std::span<const mxm_device_cell> structure_device_mxm();

/// As find_mxm_cell.
const mxm_device_cell* find_mxm_device_cell(binary_id add, binary_id multiply, dtype operand);

}  // namespace nz::instantiate
