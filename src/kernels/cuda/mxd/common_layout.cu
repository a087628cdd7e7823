// Tiles of 32 x 32 through shared memory, so that both sides are read and written along their own neighbours.
#include "core/cuda_check.hpp"
#include "kernels/cuda/mxd/common_layout.hpp"

#include <algorithm>
#include <cstdint>

namespace nz::kernels::cuda {
namespace {

constexpr int side = 32, deep = 8;

template <class Word>
__global__ void __launch_bounds__(side* deep) copy_dense_kernel(device_dense_copy d) {
    __shared__ Word tile[side][side + 1];
    const auto* from = static_cast<const Word*>(d.from);
    auto* to = static_cast<Word*>(d.to);
    const offset_t row = offset_t{blockIdx.x} * side;
    const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
    for (offset_t column = offset_t{blockIdx.y} * side; column < d.columns;
         column += offset_t{gridDim.y} * side) {
        const auto each = [&](bool along_row, auto f) {
            for (int k = y; k < side; k += deep) {
                const int r = along_row ? k : x, c = along_row ? x : k;
                if (row + r < d.rows && column + c < d.columns) f(row + r, column + c, tile[r][c]);
            }
        };
        each(d.from_column_step == 1, [&](offset_t i, offset_t j, Word& at) {
            at = from[i * d.from_row_step + j * d.from_column_step];
        });
        __syncthreads();
        each(d.to_column_step == 1, [&](offset_t i, offset_t j, const Word& at) {
            to[i * d.to_row_step + j * d.to_column_step] = at;
        });
        __syncthreads();
    }
}

}  // namespace

void copy_dense(const device_dense_copy& d, void* stream) {
    if (d.rows == 0 || d.columns == 0) return;
    constexpr index_t most_tiles_across = 1024;
    const dim3 grid(static_cast<unsigned>((offset_t{d.rows} + side - 1) / side),
                    static_cast<unsigned>(std::min((d.columns - 1) / side + 1, most_tiles_across)));
    const auto on = static_cast<cudaStream_t>(stream);
    switch (d.bytes) {
        case 1:
            copy_dense_kernel<std::uint8_t><<<grid, side * deep, 0, on>>>(d);
            break;
        case 2:
            copy_dense_kernel<std::uint16_t><<<grid, side * deep, 0, on>>>(d);
            break;
        case 4:
            copy_dense_kernel<std::uint32_t><<<grid, side * deep, 0, on>>>(d);
            break;
        default:
            copy_dense_kernel<std::uint64_t><<<grid, side * deep, 0, on>>>(d);
            break;
    }
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
