// What the kernels of extract and assign are called with for a vector that is dense or a bitmap.
#pragma once

#include "kernels/vector_arguments.hpp"
#include "nonzero/types.hpp"

#include <cstddef>

namespace nz::kernels {

/// t(i) = from(sources[i]), and rest(i) where that is -1: nothing without a rest. Values of one width, moved as they are.
struct places_arguments {
    index_t size = 0;
    const index_t* sources = nullptr;  ///< [size]
    words_side from, rest;
    bool has_rest = false;
    std::size_t value_bytes = 0;
    int threads = 1;
    void* values = nullptr;
    bits::word* present = nullptr;  ///< a GPU's: null where nobody asks
};

/// On a GPU: pointers are the device's. Null functions where the build has no CUDA.
struct device_places_table {
    void (*extract)(const places_arguments& arguments, void* stream) = nullptr;
    void (*assign)(const places_arguments& arguments, void* stream) = nullptr;
};

}  // namespace nz::kernels
