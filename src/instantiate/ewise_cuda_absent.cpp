// The manifest of a build without CUDA (left out of the others).
#include "instantiate/ewise_cells.hpp"

namespace nz::instantiate {

kernels::device_ewise_kernel find_ewise_device_fill(binary_id, dtype) { return nullptr; }

}  // namespace nz::instantiate
