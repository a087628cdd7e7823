#include "instantiate/mxv_cpu.hpp"

namespace nz::instantiate {

std::span<const mxv_cell> arithmetic_mxv() {
    static constexpr auto table = mxv_table<arithmetic_cells, arithmetic_one_sided_cells>();
    return table;
}

}  // namespace nz::instantiate
