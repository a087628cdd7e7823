// Rows of A times a tile of B's columns, a row to a group of lanes: csr_tiled and csr_half_warp.
#pragma once

#include "kernels/cuda/mxd/common_tile.cuh"

namespace nz::kernels::cuda {

inline constexpr int mxd_rows_block = 256;

template <class Cell, int Lanes, int Values, tile_kind Kind>
__global__ void __launch_bounds__(mxd_rows_block, 6) mxd_rows_kernel(mxd_arguments a) {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    const tile_lane<Cell, Lanes, Values, Kind> tile(a);
    const device_offsets offsets = on_device(a.offsets);
    const int lane = static_cast<int>(threadIdx.x % Lanes);
    const auto row = static_cast<index_t>((blockIdx.x * mxd_rows_block + threadIdx.x) / Lanes);
    if (row >= a.rows) return;
    const unsigned group = (Lanes == 32 ? full_warp : (1u << Lanes % 32) - 1)
                           << (threadIdx.x % 32 / Lanes * Lanes);
    const offset_t begin = offsets[row];
    const auto entries =
        static_cast<int>(offsets[row + offset_t{1}] - begin);  // of a row: no more than columns
    const index_t* columns = a.indices + begin + lane;
    const T* values = static_cast<const T*>(a.values) + (a.a_step ? begin + lane : 0);
    V sum[Values];
    tile.reset(sum, entries == 0);
    for (int left = entries; left > 0; left -= Lanes, columns += Lanes, values += a.a_step ? Lanes : 0) {
        index_t column = 0;
        T x{};
        if (lane < left) {
            column = __ldcs(columns);
            if constexpr (Cell::reads_a) x = __ldcs(values);
        }
        const int count = min(Lanes, left);
#pragma unroll 4
        for (int e = 0; e < count; ++e) {
            T b[Values];
            tile.load(__shfl_sync(group, column, e, Lanes), b);
            tile.add_product(sum, __shfl_sync(group, x, e, Lanes), b);
        }
    }
    if (!a.accumulates)
        tile.store(row, sum);
    else if (entries > 0)
        tile.add_to(row, sum);
}

template <class Cell, int Lanes, int Values, tile_kind Kind>
void launch_mxd_rows(const device_mxd_arguments& a, unsigned tiles, void* stream) {
    constexpr int rows = mxd_rows_block / Lanes;
    const auto blocks = static_cast<unsigned>((offset_t{a.common.rows} + rows - 1) / rows);
    mxd_rows_kernel<Cell, Lanes, Values, Kind>
        <<<dim3(blocks, tiles), mxd_rows_block, 0, static_cast<cudaStream_t>(stream)>>>(a.common);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
