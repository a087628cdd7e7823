// Expands a list of cells into the CUDA products of diagonals; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/dia_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cuda/mxm_dia/stored.cuh"

namespace nz::instantiate {

template <class... Cells>
constexpr auto make_dia_device_table(cell_list<Cells...>) {
    return std::array{dia_device_cell{Cells::add_id, Cells::multiply_id, dtype_of<typename Cells::operand>,
                                      &kernels::cuda::mxm_dia_stored<Cells>}...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto dia_device_table() {
    return make_dia_device_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
