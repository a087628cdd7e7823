// Expands a list of cells into the CPU's products of diagonals; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/dia_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cpu/mxm_dia/stored.hpp"

namespace nz::instantiate {

template <class... Cells>
constexpr auto make_dia_table(cell_list<Cells...>) {
    return std::array{dia_cell{Cells::add_id, Cells::multiply_id, dtype_of<typename Cells::operand>,
                               dtype_of<typename Cells::value>, &kernels::cpu::mxm_dia_stored<Cells>}...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto dia_table() {
    return make_dia_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
