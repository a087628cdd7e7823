// Expands a list of cells into the CPU's kernels of mxd and sddmm; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/dense_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cpu/mxd/csr_merge.hpp"
#include "kernels/cpu/mxd/csr_tiled.hpp"
#include "kernels/cpu/sddmm/row_dot.hpp"

namespace nz::instantiate {

template <class Cell>
constexpr dense_cell make_dense_cell() {
    return {Cell::add_id,
            Cell::multiply_id,
            dtype_of<typename Cell::operand>,
            dtype_of<typename Cell::value>,
            &kernels::cpu::mxd_csr_tiled<Cell>,
            &kernels::cpu::mxd_csr_merge<Cell>,
            &kernels::cpu::sddmm_row_dot<Cell>};
}

template <class... Cells>
constexpr auto make_dense_table(cell_list<Cells...>) {
    return std::array{make_dense_cell<Cells>()...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto dense_table() {
    return make_dense_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
