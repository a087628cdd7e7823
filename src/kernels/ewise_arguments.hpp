// What the kernels that join two matrices entry by entry are called with. Two entry points: count, then fill.
#pragma once

#include "kernels/offset_reader.hpp"

namespace nz::kernels {

/// Of the entries of A and B as sets of places: union, intersection, A without B, those of exactly one.
enum class set_operation : unsigned char { unite, intersect, subtract, exclude };

struct ewise_side {
    offset_reader offsets;
    const index_t* columns = nullptr;  ///< ascending in each row; repeats allowed
    const void* values = nullptr;      ///< of the cell's type
    offset_t step = 1;                 ///< 0: values[0] stands for every entry
};

struct ewise_arguments {
    ewise_side a, b;
    index_t rows = 0, width = 0;  ///< width: columns
    set_operation operation = set_operation::unite;
    int threads = 1;
    void* workspace = nullptr;  ///< plan::ewise_path_workspace: count leaves there what fill follows
    // The result, for fill.
    void* offsets = nullptr;  ///< [rows + 1]
    bool wide = false;
    index_t* columns = nullptr;
    void* values = nullptr;
};

using ewise_kernel = void (*)(const ewise_arguments&);

}  // namespace nz::kernels
