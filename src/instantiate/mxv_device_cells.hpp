// The manifest of mxv on a GPU: the same semirings and types as on the CPU. In a build without CUDA it is empty.
#pragma once

#include "instantiate/mxv_cells.hpp"
#include "kernels/device_mxv_arguments.hpp"

namespace nz::instantiate {

struct mxv_device_cell {
    binary_id add, multiply;
    dtype operand;
    kernels::device_mxv_kernel csr_row, csr_merge, csr_ranked, csr_binned, csr_row_masked, csc_gather_scatter,
        csc_gather_radix, csc_gather_merge, csc_gather_bucket, dia_slice, tile_row, tile_column;

    /// The kernel with this id, or null.
    kernels::device_mxv_kernel kernel(std::string_view id) const {
        return id == "csr_row"              ? csr_row
               : id == "csr_merge"          ? csr_merge
               : id == "csr_ranked"         ? csr_ranked
               : id == "csr_binned"         ? csr_binned
               : id == "csr_row_masked"     ? csr_row_masked
               : id == "csc_gather_scatter" ? csc_gather_scatter
               : id == "csc_gather_radix"   ? csc_gather_radix
               : id == "csc_gather_merge"   ? csc_gather_merge
               : id == "csc_gather_bucket"  ? csc_gather_bucket
               : id == "dia_slice"          ? dia_slice
               : id == "tile_row"           ? tile_row
               : id == "tile_column"        ? tile_column
                                            : nullptr;
    }
};

std::span<const mxv_device_cell> arithmetic_device_mxv();
std::span<const mxv_device_cell> tropical_device_mxv();
std::span<const mxv_device_cell> label_device_mxv();
std::span<const mxv_device_cell> structure_device_mxv();

/// As find_mxv_cell.
const mxv_device_cell* find_mxv_device_cell(binary_id add, binary_id multiply, dtype operand);

}  // namespace nz::instantiate
