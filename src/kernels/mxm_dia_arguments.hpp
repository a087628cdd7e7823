// What the kernels are called with that multiply two matrices stored by diagonals. On a GPU all pointers are the device's.
#pragma once

#include "nonzero/types.hpp"

namespace nz::kernels {

/// Diagonals of A and B that meet: a product in each of the rows first to last - 1.
struct dia_pair {
    index_t a, b;   ///< their numbers
    index_t shift;  ///< A's offset
    index_t first, last;
};
/// A diagonal of C: its pairs by ascending shift, and the rows in which all of them have a product.
struct dia_sum {
    index_t pairs_begin, pairs_end;
    index_t full_first, full_last;
};

struct mxm_dia_arguments {
    index_t rows = 0;
    // Value (d, i) is at d * stride + i; of the cell's operand type, null where the multiply ignores them.
    const void *a = nullptr, *b = nullptr;
    offset_t a_stride = 0, b_stride = 0;
    void* c = nullptr;
    offset_t c_stride = 0;
    index_t c_diagonals = 0;
    const dia_sum* sums = nullptr;  ///< [c_diagonals]
    const dia_pair* pairs = nullptr;
    int threads = 1;
    // On a GPU, where both factors' offsets follow one another: how many there are, A's first, and the rows, whole tiles of so many,
    // in which every pair has a product. No tile: none.
    int a_band = 0, b_band = 0, tile_rows = 0;
    index_t a_shift = 0, band_first = 0, band_last = 0;
};

using mxm_dia_kernel = void (*)(const mxm_dia_arguments&);
/// Puts its work on `stream` (a cudaStream_t) and returns.
using device_mxm_dia_kernel = void (*)(const mxm_dia_arguments&, void* stream);

}  // namespace nz::kernels
