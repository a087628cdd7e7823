#include "instantiate/dia_cpu.hpp"

namespace nz::instantiate {

std::span<const dia_cell> numeric_dia() {
    static constexpr auto table = dia_table<arithmetic_cells, arithmetic_one_sided_cells, min_plus_cells,
                                            max_plus_cells, min_max_cells, max_min_cells>();
    return table;
}

}  // namespace nz::instantiate
