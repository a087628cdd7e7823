// Products of bands stored by diagonals, beside those of CSR in the suite spgemm.
#pragma once

#include "harness.hpp"

namespace nz::bench {

/// Whether a suite's input is a band.
inline bool is_band(const std::string& source) { return source.starts_with("banded:"); }
/// A A by mxm of two dia_matrix of doubles, each with memory of its own, checked against mxm of `a` bit for bit. On a GPU the kernels'
/// time, with `call_ms` the whole call. `copy`: bytes a second.
measurement stored_product(const context& ctx, const matrix& a, double copy, int repeats);
/// One line of it.
void print_stored(const measurement& m);

}  // namespace nz::bench
