#include "instantiate/mxm_cuda.cuh"

namespace nz::instantiate {

std::span<const mxm_device_cell> label_device_mxm() {
    static constexpr auto table =
        mxm_device_table<min_second_cells, min_first_cells, max_second_cells, any_second_cells>();
    return table;
}

}  // namespace nz::instantiate
