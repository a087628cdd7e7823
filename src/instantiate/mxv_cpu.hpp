// Expands a list of cells into the CPU kernels; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/mxv_lists.hpp"
#include "kernels/cpu/mxv/bsr_row.hpp"
#include "kernels/cpu/mxv/csc_gather_merge.hpp"
#include "kernels/cpu/mxv/csc_gather_radix.hpp"
#include "kernels/cpu/mxv/csc_gather_scatter.hpp"
#include "kernels/cpu/mxv/csr_merge.hpp"
#include "kernels/cpu/mxv/csr_ranked.hpp"
#include "kernels/cpu/mxv/csr_row.hpp"
#include "kernels/cpu/mxv/csr_row_masked.hpp"
#include "kernels/cpu/mxv/dia_slice.hpp"
#include "kernels/cpu/mxv/ell_slice.hpp"
#include "kernels/cpu/mxv/tile_column.hpp"
#include "kernels/cpu/mxv/tile_row.hpp"

namespace nz::instantiate {

template <class Cell>
constexpr mxv_cell make_mxv_cell() {
    return {Cell::add_id,
            Cell::multiply_id,
            dtype_of<typename Cell::operand>,
            dtype_of<typename Cell::value>,
            &kernels::cpu::csr_row<Cell>,
            &kernels::cpu::csr_merge<Cell>,
            &kernels::cpu::csr_ranked<Cell>,
            &kernels::cpu::csr_row_masked<Cell>,
            &kernels::cpu::csc_gather_scatter<Cell>,
            &kernels::cpu::csc_gather_radix<Cell>,
            &kernels::cpu::csc_gather_merge<Cell>,
            &kernels::cpu::dia_slice<Cell>,
            &kernels::cpu::bsr_row<Cell>,
            &kernels::cpu::ell_slice<Cell>,
            &kernels::cpu::tile_row<Cell>,
            &kernels::cpu::tile_column<Cell>};
}

template <class... Cells>
constexpr auto make_mxv_table(cell_list<Cells...>) {
    return std::array{make_mxv_cell<Cells>()...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto mxv_table() {
    return make_mxv_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
