#include "instantiate/mxm_cpu.hpp"

namespace nz::instantiate {

std::span<const mxm_cell> structure_mxm() {
    static constexpr auto table =
        mxm_table<lor_land_cells, any_pair_cells, plus_pair_cells, any_secondi_cells, min_secondi_cells>();
    return table;
}

}  // namespace nz::instantiate
