// The floor of y = A x on a CPU: entries whose line of x misses a cache of 1 MiB at the rate of products with random
// places of a table of x's size, their own 12 bytes among it; every other byte of one pass (entries, offsets, x and y
// once) at the read bandwidth. The larger of the two alone is no floor that a core comes near: gathers and streams share
// the lines it can have under way.
#pragma once

#include "nonzero/nonzero.hpp"

namespace nz::bench {

/// Entries in double, 32-bit offsets, x and y, each once.
double spmv_bytes(const matrix& a);

/// What the machine delivers when the first kernel of a matrix is timed.
struct limits_beside {
    double bandwidth = 0, floor_ms = 0;
};
/// Measures both rates beside the matrix that they are for: what a shared L3 cache delivers changes by the minute.
limits_beside measure_beside(const context& ctx, const matrix& a);

}  // namespace nz::bench
