#include "instantiate/mxm_cuda.cuh"

namespace nz::instantiate {

std::span<const mxm_device_cell> structure_device_mxm() {
    static constexpr auto table = mxm_device_table<lor_land_cells, any_pair_cells, plus_pair_cells,
                                                   any_secondi_cells, min_secondi_cells>();
    return table;
}

}  // namespace nz::instantiate
