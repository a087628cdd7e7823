// What the kernels that join two matrices entry by entry are called with on a GPU: pointers are the device's.
#pragma once

#include "kernels/ewise_arguments.hpp"

namespace nz::kernels {

struct device_ewise_arguments {
    ewise_side a, b;  ///< columns begin at 16 bytes and may be read 16 bytes beyond their end
    offset_t a_entries = 0, b_entries = 0;
    index_t rows = 0;
    set_operation operation = set_operation::unite;
    void* workspace = nullptr;  ///< plan::ewise_workspace bytes: count leaves there what fill goes by
    // The result, for fill.
    void* offsets = nullptr;  ///< [rows + 1]
    bool wide = false;
    index_t* columns = nullptr;
    void* values = nullptr;
};

/// Puts its work on `stream` (a cudaStream_t) and returns.
using device_ewise_kernel = void (*)(const device_ewise_arguments&, void* stream);

}  // namespace nz::kernels
