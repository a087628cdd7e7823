// The walk through a row of tiles that conversions count and fill by: its rows merged by column of tiles.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/mxv_arguments.hpp"

#include <type_traits>

namespace nz::kernels::cuda {

constexpr unsigned build_block = 256;
constexpr unsigned none = ~0u;

inline cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }
inline unsigned blocks_of(offset_t threads) {
    return static_cast<unsigned>((threads + build_block - 1) / build_block);
}

/// One row of tiles in the hands of a group of lanes: this lane's rows, tile after tile.
template <int Size>
struct lane_walk {
    static constexpr int rows = Size == 64 ? 2 : 1, group = Size / rows,
                         shift = Size == 16   ? 4
                                 : Size == 32 ? 5
                                              : 6;
    const index_t* indices;
    unsigned mask;
    int lane;  // in the group
    offset_t at[rows], end[rows];
    unsigned tile[rows];
    int count[rows];

    __device__ lane_walk(const offset_reader& row_offsets, const index_t* columns, index_t row_count,
                         index_t tile_row)
        : indices(columns),
          mask(group == 16 ? 0xffffu << (threadIdx.x & 16) : ~0u),
          lane(static_cast<int>(threadIdx.x) & (group - 1)) {
        const device_offsets offsets{row_offsets.data, row_offsets.wide};
        for (int r = 0; r < rows; ++r) {
            const offset_t row = offset_t{tile_row} * Size + lane * rows + r;
            at[r] = end[r] = 0;
            if (row < row_count) at[r] = offsets[row], end[r] = offsets[row + 1];
            look(r);
        }
    }
    __device__ void look(int r) {
        tile[r] = at[r] < end[r] ? static_cast<unsigned>(indices[at[r]]) >> shift : none;
    }
    __device__ unsigned next() const {
        return __reduce_min_sync(mask, rows == 2 ? min(tile[0], tile[rows - 1]) : tile[0]);
    }
    /// This lane's entries in tile `column`; returns those of the group.
    __device__ int measure(unsigned column) {
        int mine = 0;
        for (int r = 0; r < rows; ++r) {
            count[r] = 0;
            if (tile[r] != column) continue;
            offset_t k = at[r] + 1;
            while (k < end[r] && static_cast<unsigned>(indices[k]) >> shift == column) ++k;
            count[r] = static_cast<int>(k - at[r]);
            mine += count[r];
        }
        return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(mine)));
    }
    __device__ void step() {
        for (int r = 0; r < rows; ++r)
            if (count[r]) {
                at[r] += count[r];
                look(r);
            }
    }
    /// The sum of x over the lanes before this one.
    __device__ int before(int x) const {
        int sum = x;
        for (int distance = 1; distance < group; distance *= 2) {
            const int other = __shfl_up_sync(mask, sum, distance, group);
            if (lane >= distance) sum += other;
        }
        return sum - x;
    }
};

template <int Size>
__device__ index_t tile_row_of_group() {
    return static_cast<index_t>((blockIdx.x * build_block + threadIdx.x) / lane_walk<Size>::group);
}

template <class F>
void by_size(int size, F&& f) {
    size == 16   ? f(std::integral_constant<int, 16>{})
    : size == 32 ? f(std::integral_constant<int, 32>{})
                 : f(std::integral_constant<int, 64>{});
}

}  // namespace nz::kernels::cuda
