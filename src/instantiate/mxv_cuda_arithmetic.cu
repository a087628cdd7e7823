#include "instantiate/mxv_cuda.cuh"

namespace nz::instantiate {

std::span<const mxv_device_cell> arithmetic_device_mxv() {
    static constexpr auto table = mxv_device_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
