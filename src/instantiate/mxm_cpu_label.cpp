#include "instantiate/mxm_cpu.hpp"

namespace nz::instantiate {

std::span<const mxm_cell> label_mxm() {
    static constexpr auto table =
        mxm_table<min_second_cells, min_first_cells, max_second_cells, any_second_cells>();
    return table;
}

}  // namespace nz::instantiate
