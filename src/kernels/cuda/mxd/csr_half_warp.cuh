// mxd/csr_half_warp: C = A B for dense B and C as matam2012 has it (section V): half a warp to a row, a column to a lane.
//
// Computes: for every row i and tile of 16 columns, sums of A(i,k) x B(k, tile), one in each of 16 lanes; the row's entries
//   are read by the lanes side by side and handed round (the paper: through shared memory, which its cards had to use).
// Who owns what: 16 lanes -> row and tile, lane -> column. No barrier, no workspace.
// Determinism: sums in the order of k: the reference's bits.
// Cost: nnz * columns products; the row is read again for every 16 columns.
// Selectable and in the bench, never planned: csr_tiled reads 16 bytes a lane and takes 64 doubles in one go.
#pragma once

#include "kernels/cuda/mxd/common_tile.cuh"

namespace nz::kernels::cuda {

namespace mxd_half_warp_detail {

inline constexpr int lanes = 16, block = 256;

}  // namespace mxd_half_warp_detail

template <class Cell>
__global__ void __launch_bounds__(mxd_half_warp_detail::block, 6) mxd_half_warp_kernel(mxd_arguments a) {
    using namespace mxd_half_warp_detail;
    using T = typename Cell::operand;
    using V = typename Cell::value;
    const tile_lane<Cell, lanes, 1, tile_kind::loose, 1> tile(a);
    const device_offsets offsets = on_device(a.offsets);
    const int lane = tile.lane();
    const auto row = static_cast<index_t>(blockIdx.x * (block / lanes) + threadIdx.x / lanes);
    if (row >= a.rows) return;
    const unsigned half = ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
    const offset_t begin = offsets[row];
    const auto entries =
        static_cast<int>(offsets[row + offset_t{1}] - begin);  // of a row: no more than columns
    const index_t* columns = a.indices + begin + lane;
    const T* values = static_cast<const T*>(a.values) + (a.a_step ? begin + lane : 0);
    V sum[1];
    tile.reset(sum, entries == 0);
    for (int left = entries; left > 0; left -= lanes, columns += lanes, values += a.a_step ? lanes : 0) {
        index_t column = 0;
        T x{};
        if (lane < left) {
            column = __ldcs(columns);
            if constexpr (Cell::reads_a) x = __ldcs(values);
        }
        const int count = min(lanes, left);
#pragma unroll 4
        for (int e = 0; e < count; ++e) {
            T b[1];
            tile.load(__shfl_sync(half, column, e, lanes), b);
            tile.add_product(sum, __shfl_sync(half, x, e, lanes), b);
        }
    }
    if (!a.accumulates)
        tile.store(row, sum);
    else if (entries > 0)
        tile.add_to(row, sum);
}

template <class Cell>
void mxd_csr_half_warp(const device_mxd_arguments& a, void* stream) {
    using namespace mxd_half_warp_detail;
    constexpr int rows = block / lanes;
    const auto blocks = static_cast<unsigned>((offset_t{a.common.rows} + rows - 1) / rows);
    for_columns<Cell>(a, [&](const device_mxd_arguments& part) {
        const auto tiles = static_cast<unsigned>((part.common.columns + lanes - 1) / lanes);
        mxd_half_warp_kernel<Cell>
            <<<dim3(blocks, tiles), block, 0, static_cast<cudaStream_t>(stream)>>>(part.common);
    });
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
