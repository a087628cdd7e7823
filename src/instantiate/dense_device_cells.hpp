// The manifest of mxd and sddmm on a GPU: the same semirings and types as on the CPU. In a build without CUDA it is empty.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/device_mxd_arguments.hpp"
#include "kernels/sddmm_arguments.hpp"

namespace nz::instantiate {

struct dense_device_cell {
    binary_id add, multiply;
    dtype operand;
    kernels::device_mxd_kernel csr_tiled, csr_merge, csr_half_warp;
    kernels::device_sddmm_kernel row_dot;

    /// mxd's kernel with this id, or null.
    kernels::device_mxd_kernel mxd(std::string_view id) const {
        return id == "csr_tiled"       ? csr_tiled
               : id == "csr_merge"     ? csr_merge
               : id == "csr_half_warp" ? csr_half_warp
                                       : nullptr;
    }
};

std::span<const dense_device_cell> arithmetic_device_dense();
std::span<const dense_device_cell> tropical_device_dense();

/// As find_mxv_cell.
const dense_device_cell* find_dense_device_cell(binary_id add, binary_id multiply, dtype operand);

}  // namespace nz::instantiate
