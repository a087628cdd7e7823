#include "instantiate/mxv_cpu.hpp"

namespace nz::instantiate {

std::span<const mxv_cell> structure_mxv() {
    static constexpr auto table =
        mxv_table<lor_land_cells, any_pair_cells, plus_pair_cells, any_secondi_cells, min_secondi_cells>();
    return table;
}

}  // namespace nz::instantiate
