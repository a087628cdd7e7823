#include "instantiate/mxv_cuda.cuh"

namespace nz::instantiate {

std::span<const mxv_device_cell> tropical_device_mxv() {
    static constexpr auto table =
        mxv_device_table<min_plus_cells, max_plus_cells, min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
