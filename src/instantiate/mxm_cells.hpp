// The manifest of mxm: the semirings and types of mxv (mxv_cells.hpp), each with the kernels that fill.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/mxm_arguments.hpp"

namespace nz::instantiate {

struct mxm_cell {
    binary_id add, multiply;
    dtype operand, value;
    kernels::mxm_kernel hash, dense_row, row_row, column_row, column_column, two_level_sort, masked_dot,
        masked_row, dia_dia;

    /// The kernel with this id, or null.
    kernels::mxm_kernel kernel(std::string_view id) const {
        return id == "hash"             ? hash
               : id == "dense_row"      ? dense_row
               : id == "row_row"        ? row_row
               : id == "column_row"     ? column_row
               : id == "column_column"  ? column_column
               : id == "two_level_sort" ? two_level_sort
               : id == "masked_dot"     ? masked_dot
               : id == "masked_row"     ? masked_row
               : id == "dia_dia"        ? dia_dia
                                        : nullptr;
    }
};

std::span<const mxm_cell> arithmetic_mxm();
std::span<const mxm_cell> tropical_mxm();
std::span<const mxm_cell> label_mxm();
std::span<const mxm_cell> structure_mxm();

/// As find_mxv_cell.
const mxm_cell* find_mxm_cell(binary_id add, binary_id multiply, dtype operand);
/// The kernel that counts for this id: values do not matter, so there is one for all cells.
kernels::mxm_kernel find_mxm_count(std::string_view id);

}  // namespace nz::instantiate
