// Expands a list of cells into the CPU's mxm kernels; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/mxm_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cpu/mxm/column_column.hpp"
#include "kernels/cpu/mxm/column_row.hpp"
#include "kernels/cpu/mxm/dense_row.hpp"
#include "kernels/cpu/mxm/dia_dia.hpp"
#include "kernels/cpu/mxm/hash.hpp"
#include "kernels/cpu/mxm/masked_dot.hpp"
#include "kernels/cpu/mxm/masked_row.hpp"
#include "kernels/cpu/mxm/row_row.hpp"
#include "kernels/cpu/mxm/two_level_sort.hpp"

namespace nz::instantiate {

template <class Cell>
constexpr mxm_cell make_mxm_cell() {
    return {Cell::add_id,
            Cell::multiply_id,
            dtype_of<typename Cell::operand>,
            dtype_of<typename Cell::value>,
            &kernels::cpu::hash_fill<Cell>,
            &kernels::cpu::dense_row_fill<Cell>,
            &kernels::cpu::row_row_fill<Cell>,
            &kernels::cpu::column_row_fill<Cell>,
            &kernels::cpu::column_column_fill<Cell>,
            &kernels::cpu::two_level_sort_fill<Cell>,
            &kernels::cpu::masked_dot_fill<Cell>,
            &kernels::cpu::masked_row_fill<Cell>,
            &kernels::cpu::dia_dia_fill<Cell>};
}

template <class... Cells>
constexpr auto make_mxm_table(cell_list<Cells...>) {
    return std::array{make_mxm_cell<Cells>()...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto mxm_table() {
    return make_mxm_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
