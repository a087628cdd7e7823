// The manifest of a build without CUDA (left out of the others).
#include "instantiate/dia_cells.hpp"

namespace nz::instantiate {

std::span<const dia_device_cell> numeric_device_dia() { return {}; }
std::span<const dia_device_cell> label_device_dia() { return {}; }

}  // namespace nz::instantiate
