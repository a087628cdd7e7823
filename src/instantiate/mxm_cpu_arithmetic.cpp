#include "instantiate/mxm_cpu.hpp"

namespace nz::instantiate {

std::span<const mxm_cell> arithmetic_mxm() {
    static constexpr auto table = mxm_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
