// What the kernels of select are called with for a matrix. Two entry points: count, then fill.
#pragma once

#include "algebra/entry_function.hpp"
#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct select_arguments {
    const algebra::entry_function* keep = nullptr;
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    const void* values = nullptr;  ///< of `type`; one when constant
    dtype type = dtype::float64;
    bool constant = false;
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count
    // The result, for fill.
    offset_reader out_offsets;
    index_t* out_columns = nullptr;
    void* out_values = nullptr;  ///< null where the result has one value for all, or none
};

/// What select/rising is called with: a square pattern, count and fill as above.
struct rising_arguments {
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    int threads = 1;
    index_t* lengths = nullptr;  ///< [rows], from count; a GPU's fill does not look at them
    offset_t* starts = nullptr;  ///< a GPU's: [rows + 1], from count
    void* temporary = nullptr;   ///< a GPU's: scan_bytes
    std::size_t scan_bytes = 0;
    offset_reader out_offsets;  ///< on a GPU fill writes them too
    index_t* out_columns = nullptr;
};

/// On a GPU; null functions where the build has no CUDA.
struct device_select_table {
    std::size_t (*rising_scan_bytes)(index_t rows) = nullptr;
    void (*rising_count)(const rising_arguments& arguments, void* stream) = nullptr;
    void (*rising_fill)(const rising_arguments& arguments, void* stream) = nullptr;
};

}  // namespace nz::kernels
