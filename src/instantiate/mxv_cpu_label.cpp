#include "instantiate/mxv_cpu.hpp"

namespace nz::instantiate {

std::span<const mxv_cell> label_mxv() {
    static constexpr auto table =
        mxv_table<min_second_cells, min_first_cells, max_second_cells, any_second_cells>();
    return table;
}

}  // namespace nz::instantiate
