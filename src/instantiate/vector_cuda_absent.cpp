// A build without CUDA has no kernel over vectors for a GPU.
#include "instantiate/vector_cells.hpp"

namespace nz::instantiate {

kernels::device_words_kernel find_words_on_device(binary_id, dtype) { return nullptr; }
kernels::device_apply_kernel find_apply_on_device(unary_id, dtype) { return nullptr; }
kernels::device_reduce_kernel find_reduce_on_device(binary_id, dtype) { return nullptr; }
kernels::device_reduce_rows_kernel find_reduce_rows_on_device(binary_id, dtype) { return nullptr; }

}  // namespace nz::instantiate
