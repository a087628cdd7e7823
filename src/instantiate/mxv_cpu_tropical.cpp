#include "instantiate/mxv_cpu.hpp"

namespace nz::instantiate {

std::span<const mxv_cell> tropical_mxv() {
    static constexpr auto table = mxv_table<min_plus_cells, max_plus_cells, min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
