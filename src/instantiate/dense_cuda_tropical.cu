#include "instantiate/dense_cuda.cuh"

namespace nz::instantiate {

std::span<const dense_device_cell> tropical_device_dense() {
    static constexpr auto table = dense_device_table<min_plus_cells>();
    return table;
}

}  // namespace nz::instantiate
