#include "instantiate/mxm_cpu.hpp"

namespace nz::instantiate {

std::span<const mxm_cell> tropical_mxm() {
    static constexpr auto table = mxm_table<min_plus_cells, max_plus_cells, min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
