#include "instantiate/dense_cuda.cuh"

namespace nz::instantiate {

std::span<const dense_device_cell> arithmetic_device_dense() {
    static constexpr auto table = dense_device_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
