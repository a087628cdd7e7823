#include "instantiate/mxm_cuda.cuh"

namespace nz::instantiate {

std::span<const mxm_device_cell> tropical_device_mxm() {
    static constexpr auto table =
        mxm_device_table<min_plus_cells, max_plus_cells, min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
