// Expands a list of cells into the CUDA kernels of mxd and sddmm; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/dense_device_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cuda/mxd/csr_half_warp.cuh"
#include "kernels/cuda/mxd/csr_merge.cuh"
#include "kernels/cuda/mxd/csr_tiled.cuh"
#include "kernels/cuda/sddmm/row_dot.cuh"

namespace nz::instantiate {

template <class... Cells>
constexpr auto make_dense_device_table(cell_list<Cells...>) {
    return std::array{
        dense_device_cell{Cells::add_id, Cells::multiply_id, dtype_of<typename Cells::operand>,
                          &kernels::cuda::mxd_csr_tiled<Cells>, &kernels::cuda::mxd_csr_merge<Cells>,
                          &kernels::cuda::mxd_csr_half_warp<Cells>, &kernels::cuda::sddmm_row_dot<Cells>}...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto dense_device_table() {
    return make_dense_device_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
