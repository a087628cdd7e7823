// Expands a list of cells into the CUDA kernels of mxm; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/mxm_device_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cuda/mxm/common_numeric.cuh"
#include "kernels/cuda/mxm/dia_dia.cuh"
#include "kernels/cuda/mxm/masked_dot.cuh"
#include "kernels/cuda/mxm/masked_row.cuh"
#include "kernels/cuda/mxm/two_level_sort.cuh"

namespace nz::instantiate {

template <class... Cells>
constexpr auto make_mxm_device_table(cell_list<Cells...>) {
    return std::array{
        mxm_device_cell{Cells::add_id, Cells::multiply_id, dtype_of<typename Cells::operand>,
                        &kernels::cuda::hash_fill<Cells>, &kernels::cuda::masked_row_fill<Cells>,
                        &kernels::cuda::masked_dot<Cells>, &kernels::cuda::two_level_sort_fill<Cells>,
                        &kernels::cuda::dia_dia_fill<Cells>, kernels::cuda::mxm_numeric_of<Cells>()}...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto mxm_device_table() {
    return make_mxm_device_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
