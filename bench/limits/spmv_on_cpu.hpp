// The floor of y = A x on a CPU: the larger of the bytes of one pass (entries, offsets, x and y once) over the read
// bandwidth, and of the gathers of x that miss a cache of 1 MiB over the gather rate for a table of x's size.
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
