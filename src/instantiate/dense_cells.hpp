// The manifest of mxd and sddmm: a part of mxv's semirings and types, each with its kernels.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/mxd_arguments.hpp"
#include "kernels/sddmm_arguments.hpp"

namespace nz::instantiate {

struct dense_cell {
    binary_id add, multiply;
    dtype operand, value;
    kernels::mxd_kernel csr_tiled, csr_merge;
    kernels::sddmm_kernel row_dot;

    /// mxd's kernel with this id, or null.
    kernels::mxd_kernel mxd(std::string_view id) const {
        return id == "csr_tiled" ? csr_tiled : id == "csr_merge" ? csr_merge : nullptr;
    }
};

std::span<const dense_cell> arithmetic_dense();
std::span<const dense_cell> tropical_dense();

/// As find_mxv_cell.
const dense_cell* find_dense_cell(binary_id add, binary_id multiply, dtype operand);

}  // namespace nz::instantiate
