// The manifest of entrywise joins: the operators and types that are compiled. What is not here runs on the reference.
#pragma once

#include "kernels/device_ewise_arguments.hpp"
#include "nonzero/algebra.hpp"

namespace nz::instantiate {

/// The kernel that fills C for operands and result of type T, or null. Difference and symmetric difference combine
/// nothing: they take `first` on the unsigned type as wide as the values.
kernels::ewise_kernel find_ewise_fill(binary_id op, dtype type);
/// The same on a GPU; null in a build without CUDA.
kernels::device_ewise_kernel find_ewise_device_fill(binary_id op, dtype type);

}  // namespace nz::instantiate
