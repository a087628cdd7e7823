// The manifest of a build without CUDA (left out of the others).
#include "instantiate/mxv_device_cells.hpp"

namespace nz::instantiate {

std::span<const mxv_device_cell> arithmetic_device_mxv() { return {}; }
std::span<const mxv_device_cell> tropical_device_mxv() { return {}; }
std::span<const mxv_device_cell> label_device_mxv() { return {}; }
std::span<const mxv_device_cell> structure_device_mxv() { return {}; }

}  // namespace nz::instantiate
