// The manifest of products of diagonals: the semirings and types of mxm, on the CPU and, in a build with CUDA, on a GPU.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/mxm_dia_arguments.hpp"

namespace nz::instantiate {

struct dia_cell {
    binary_id add, multiply;
    dtype operand, value;
    kernels::mxm_dia_kernel stored;
};
struct dia_device_cell {
    binary_id add, multiply;
    dtype operand;
    kernels::device_mxm_dia_kernel stored;
};

std::span<const dia_cell> numeric_dia();
std::span<const dia_cell> label_dia();
std::span<const dia_device_cell> numeric_device_dia();
std::span<const dia_device_cell> label_device_dia();

/// As find_mxm_cell.
const dia_cell* find_dia_cell(binary_id add, binary_id multiply, dtype operand);
const dia_device_cell* find_dia_device_cell(binary_id add, binary_id multiply, dtype operand);

}  // namespace nz::instantiate
