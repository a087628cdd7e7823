// The manifest of a build without CUDA (left out of the others).
#include "instantiate/dense_device_cells.hpp"

namespace nz::instantiate {

std::span<const dense_device_cell> arithmetic_device_dense() { return {}; }
std::span<const dense_device_cell> tropical_device_dense() { return {}; }

}  // namespace nz::instantiate
