// What every sddmm kernel is called with.
#pragma once

#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct sddmm_arguments {
    // The places, row by row.
    index_t rows = 0;
    offset_t nnz = 0;
    offset_reader offsets;
    const index_t* indices = nullptr;
    // X(i, k) is x[i * x_row_step + k * x_step] and Y(k, j) is y[j * y_column_step + k * y_step], of the cell's operand type.
    index_t inner = 0;  ///< products in a sum: 1 at least
    const void* x = nullptr;
    offset_t x_row_step = 0, x_step = 1;
    const void* y = nullptr;
    offset_t y_column_step = 0, y_step = 1;
    void* out_values = nullptr;  ///< [nnz], of the cell's value type
    int threads = 1;
};

using sddmm_kernel = void (*)(const sddmm_arguments&);
/// Pointers are the device's; puts its work on `stream` (a cudaStream_t) and returns.
using device_sddmm_kernel = void (*)(const sddmm_arguments&, void* stream);

}  // namespace nz::kernels
