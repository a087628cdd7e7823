#include "instantiate/mxm_cuda.cuh"

namespace nz::instantiate {

std::span<const mxm_device_cell> arithmetic_device_mxm() {
    static constexpr auto table = mxm_device_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
