#include "instantiate/dia_cpu.hpp"

namespace nz::instantiate {

std::span<const dia_cell> label_dia() {
    static constexpr auto table =
        dia_table<min_second_cells, min_first_cells, max_second_cells, any_second_cells, lor_land_cells,
                  any_pair_cells, plus_pair_cells, any_secondi_cells, min_secondi_cells>();
    return table;
}

}  // namespace nz::instantiate
