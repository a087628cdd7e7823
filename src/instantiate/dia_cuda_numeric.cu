#include "instantiate/dia_cuda.cuh"

namespace nz::instantiate {

std::span<const dia_device_cell> numeric_device_dia() {
    static constexpr auto table =
        dia_device_table<arithmetic_cells, arithmetic_one_sided_cells, min_plus_cells, max_plus_cells,
                         min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
