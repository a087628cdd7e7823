#include "instantiate/mxv_cuda.cuh"

namespace nz::instantiate {

std::span<const mxv_device_cell> label_device_mxv() {
    static constexpr auto table =
        mxv_device_table<min_second_cells, min_first_cells, max_second_cells, any_second_cells>();
    return table;
}

}  // namespace nz::instantiate
