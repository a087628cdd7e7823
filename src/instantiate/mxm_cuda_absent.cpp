// The manifest of a build without CUDA (left out of the others).
#include "instantiate/mxm_device_cells.hpp"

namespace nz::instantiate {

std::span<const mxm_device_cell> arithmetic_device_mxm() { return {}; }
std::span<const mxm_device_cell> tropical_device_mxm() { return {}; }
std::span<const mxm_device_cell> label_device_mxm() { return {}; }
std::span<const mxm_device_cell> structure_device_mxm() { return {}; }

}  // namespace nz::instantiate
