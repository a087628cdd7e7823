// What the step of PageRank after its product is called with, on every backend.
#pragma once

#include "nonzero/types.hpp"

namespace nz::kernels {

/// Places that are summed as one: what is added in which order depends on them and on the size alone.
inline constexpr offset_t pagerank_block = 2048;

/// Vectors of `size` values of `type`, float32 or float64; pointers are the device's on a GPU.
struct pagerank_step_arguments {
    offset_t size = 0;
    dtype type = dtype::float64;
    const void* carried = nullptr;  ///< t, what edges carried
    const void* start = nullptr;    ///< p, the sum of it 1; null: 1 / size everywhere
    const void* scale = nullptr;    ///< d over degree
    void* ranks = nullptr;          ///< r, becomes t + (1 - sum t) p
    void* scaled = nullptr;         ///< becomes scale r'
    void* moved = nullptr;          ///< becomes |r' - r|, where not null
    double* parts = nullptr;        ///< a place for each block
    double* totals = nullptr;       ///< [2]: sum t, sum |r' - r|
    unsigned* arrived = nullptr;    ///< a GPU's: 0 between kernels
    int threads = 1;
};

}  // namespace nz::kernels
