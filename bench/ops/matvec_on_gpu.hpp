// What the GPU suite of mxv asks of the library.
#pragma once

#include "nonzero/nonzero.hpp"

#include <string_view>

namespace nz::bench {

/// y = A x over plus_times on `type`, operands resident on the GPU, `repeats` times after one that warms up: the
/// median time on the device in ms. `kernel` is an id of mxv, or empty for the plan's choice, which `planned` gets; `y` is the last result.
/// Throws not_supported where that kernel, form or type does not run on the GPU.
double mxv_on_gpu_ms(const context& gpu, const matrix& a, const vector& x, vector& y, std::string_view kernel,
                     dtype type, int repeats, determinism order = determinism::strict,
                     std::string* planned = nullptr);

}  // namespace nz::bench
