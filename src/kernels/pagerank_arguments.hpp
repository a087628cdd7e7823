// What the steps of PageRank are called with, on every backend.
#pragma once

#include "kernels/offset_reader.hpp"
#include "nonzero/types.hpp"

#include <cstdint>

namespace nz::kernels {

/// Places that are summed as one: what is added in which order depends on them and on the size alone.
inline constexpr offset_t pagerank_block = 2048;

/// What a step leaves behind, sums over all places.
struct alignas(16) pagerank_sums {
    double moved;  ///< of |r' - r|
    double
        carried;  ///< of d r' where there are edges out: the sum of the next t, when all rows take part in it
};

/// Vectors of `size` values of `type`, float32 or float64; pointers are the device's on a GPU.
struct pagerank_step_arguments {
    offset_t size = 0;
    dtype type = dtype::float64;
    double damping = 0;             ///< d
    const void* carried = nullptr;  ///< t, what edges carried
    bool sum_known = false;         ///< `sum` is the sum of t; else it is taken first
    double sum = 0;
    const void* start = nullptr;     ///< p, the sum of it 1; null: 1 / size everywhere
    const void* scale = nullptr;     ///< d over degree
    void* ranks = nullptr;           ///< r, becomes t + (1 - sum t) p
    void* scaled = nullptr;          ///< becomes scale r'
    void* moved = nullptr;           ///< becomes |r' - r|, where not null
    pagerank_sums* parts = nullptr;  ///< a place for each block
    pagerank_sums* sums = nullptr;   ///< what the step leaves
    double* total = nullptr;         ///< a GPU's: the sum of t where it is not known
    unsigned* arrived = nullptr;     ///< a GPU's: 0 between kernels
    int threads = 1;
};

/// Sums as whole numbers of 2^-61, so that blocks may add to them in any order: ranks sum up to 1. A part of a line of its own, so
/// that few blocks add to one.
struct alignas(128) pagerank_fixed_part {
    std::uint64_t moved, carried;  ///< as in pagerank_sums, `carried` before it is multiplied by d
};
inline constexpr double pagerank_fixed_unit = 0x1p-61;
struct pagerank_fixed_sums {
    static constexpr unsigned count = 16;
    pagerank_fixed_part parts[count];
};

/// `count` steps over A^T, none after the first that moves ranks by at most `tolerance`. Pointers are the device's.
struct device_pagerank_rows_arguments {
    offset_reader offsets{};  ///< of A^T
    const index_t* indices = nullptr;
    offset_t size = 0;
    dtype type = dtype::float64;
    double damping = 0, tolerance = 0;
    double carried = 0;  ///< the sum of the first t
    const void *start = nullptr, *scale = nullptr;
    void* ranks = nullptr;
    void *scaled = nullptr,
         *scaled_next = nullptr;          ///< y, and where y' goes; they change places after each step
    pagerank_fixed_sums* sums = nullptr;  ///< [count]: what each step leaves
    int count = 0;
};

}  // namespace nz::kernels
