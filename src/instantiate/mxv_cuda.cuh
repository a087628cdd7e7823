// Expands a list of cells into the CUDA kernels; included by the units that hold a part of the manifest.
#pragma once

#include "instantiate/mxv_device_cells.hpp"
#include "instantiate/mxv_lists.hpp"
#include "kernels/cuda/mxv/csc_gather_bucket.cuh"
#include "kernels/cuda/mxv/csc_gather_merge.cuh"
#include "kernels/cuda/mxv/csc_gather_radix.cuh"
#include "kernels/cuda/mxv/csc_gather_scatter.cuh"
#include "kernels/cuda/mxv/csr_binned.cuh"
#include "kernels/cuda/mxv/csr_merge.cuh"
#include "kernels/cuda/mxv/csr_ranked.cuh"
#include "kernels/cuda/mxv/csr_row.cuh"
#include "kernels/cuda/mxv/csr_row_masked.cuh"
#include "kernels/cuda/mxv/dia_slice.cuh"
#include "kernels/cuda/mxv/tile_column.cuh"
#include "kernels/cuda/mxv/tile_row.cuh"

namespace nz::instantiate {

template <class Cell>
constexpr mxv_device_cell make_mxv_device_cell() {
    return {Cell::add_id,
            Cell::multiply_id,
            dtype_of<typename Cell::operand>,
            &kernels::cuda::csr_row<Cell>,
            &kernels::cuda::csr_merge<Cell>,
            &kernels::cuda::csr_ranked<Cell>,
            &kernels::cuda::csr_binned<Cell>,
            &kernels::cuda::csr_row_masked<Cell>,
            &kernels::cuda::csc_gather_scatter<Cell>,
            &kernels::cuda::csc_gather_radix<Cell>,
            &kernels::cuda::csc_gather_merge<Cell>,
            &kernels::cuda::csc_gather_bucket<Cell>,
            &kernels::cuda::dia_slice<Cell>,
            &kernels::cuda::tile_row<Cell>,
            &kernels::cuda::tile_column<Cell>};
}
template <class... Cells>
constexpr auto make_mxv_device_table(cell_list<Cells...>) {
    return std::array{make_mxv_device_cell<Cells>()...};
}
/// One table of the cells of several lists.
template <class... Lists>
constexpr auto mxv_device_table() {
    return make_mxv_device_table(typename joined<Lists...>::list{});
}

}  // namespace nz::instantiate
