// The walk through a row of tiles that conversions count and fill by: its rows merged by column of tiles. Here entry
// after entry in the CSR; common_runs.cuh walks run after run in shared memory.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/offset_reader.hpp"

#include <type_traits>

namespace nz::kernels::cuda {

constexpr unsigned build_block = 256;
constexpr unsigned none = ~0u;

inline cudaStream_t on(void* stream) { return static_cast<cudaStream_t>(stream); }
inline unsigned blocks_of(offset_t threads) {
    return static_cast<unsigned>((threads + build_block - 1) / build_block);
}

/// The sum of x over a group of lanes up to this one. (From C++ a step is three instructions.)
template <int Group>
__device__ int sum_up_to(int x) {
    for (int distance = 1; distance < Group; distance *= 2)
        asm volatile(
            "{.reg .pred p; .reg .s32 other; shfl.sync.up.b32 other|p, %0, %1, %2, 0xffffffff;"
            "@p add.s32 %0, %0, other;}"
            : "+r"(x)
            : "r"(distance), "n"((32 - Group) << 8));
    return x;
}

/// The lanes that own a row of tiles: half a warp for tiles of 16, two rows a lane for those of 64. The halves of a warp
/// go on together, and reductions are the whole warp's: one over half a warp makes the halves go one after the other.
template <int Size>
struct lane_group {
    static constexpr int rows = Size == 64 ? 2 : 1, group = Size / rows,
                         shift = Size == 16   ? 4
                                 : Size == 32 ? 5
                                              : 6;
    static constexpr unsigned mask = full_warp;
    int lane;       // in the group
    unsigned half;  // 16 in the upper group of a warp of two
    unsigned tile[rows];
    int count[rows];

    __device__ lane_group()
        : lane(static_cast<int>(threadIdx.x) & (group - 1)), half(group == 16 ? threadIdx.x & 16 : 0) {}
    __device__ unsigned next() const {
        const unsigned least = rows == 2 ? min(tile[0], tile[rows - 1]) : tile[0];
        if constexpr (group == 32) return __reduce_min_sync(full_warp, least);
        const unsigned lower = __reduce_min_sync(full_warp, half ? none : least),
                       upper = __reduce_min_sync(full_warp, half ? least : none);
        return half ? upper : lower;
    }
    /// Whether a group of the warp has a next column.
    __device__ static bool on(unsigned column) {
        return group == 32 ? column != none : __any_sync(full_warp, column != none);
    }
    /// Of entries of a tile, which 16 bits hold.
    __device__ int sum(int x) const {
        const unsigned both = __reduce_add_sync(full_warp, static_cast<unsigned>(x) << half);
        return static_cast<int>(group == 32 ? both : both >> half & 0xffff);
    }
    __device__ int mine() const { return rows == 2 ? count[0] + count[rows - 1] : count[0]; }
    /// The sum of x over the group's lanes up to this one.
    __device__ static int up_to(int x) { return sum_up_to<group>(x); }
    __device__ static int before(int x) { return up_to(x) - x; }
    __device__ static int of_last(int x) { return __shfl_sync(full_warp, x, group - 1, group); }
};

/// One row of tiles in the hands of a group of lanes: this lane's rows, tile after tile.
template <int Size>
struct lane_walk : lane_group<Size> {
    using lane_group<Size>::rows;
    using lane_group<Size>::shift;
    using lane_group<Size>::tile;
    using lane_group<Size>::count;
    const index_t* indices;
    offset_t at[rows], end[rows];

    __device__ lane_walk(const offset_reader& row_offsets, const index_t* columns, index_t row_count,
                         index_t tile_row)
        : indices(columns) {
        const device_offsets offsets{row_offsets.data, row_offsets.wide};
        for (int r = 0; r < rows; ++r) {
            const offset_t row = offset_t{tile_row} * Size + this->lane * rows + r;
            at[r] = end[r] = 0;
            if (row < row_count) at[r] = offsets[row], end[r] = offsets[row + 1];
            look(r);
        }
    }
    __device__ void look(int r) {
        tile[r] = at[r] < end[r] ? static_cast<unsigned>(indices[at[r]]) >> shift : none;
    }
    /// Counts this lane's entries in tile `column`.
    __device__ void take(unsigned column) {
        for (int r = 0; r < rows; ++r) {
            count[r] = 0;
            if (tile[r] != column || at[r] >= end[r]) continue;
            offset_t k = at[r] + 1;
            while (k < end[r] && static_cast<unsigned>(indices[k]) >> shift == column) ++k;
            count[r] = static_cast<int>(k - at[r]);
        }
    }
    /// Takes them; returns those of the group.
    __device__ int measure(unsigned column) {
        take(column);
        return this->sum(this->mine());
    }
    __device__ void step() {
        for (int r = 0; r < rows; ++r)
            if (count[r]) {
                at[r] += count[r];
                look(r);
            }
    }
};

template <int Size>
__device__ index_t tile_row_of_group() {
    return static_cast<index_t>((blockIdx.x * build_block + threadIdx.x) / lane_walk<Size>::group);
}

template <class F>
auto by_size(int size, F&& f) {
    return size == 16   ? f(std::integral_constant<int, 16>{})
           : size == 32 ? f(std::integral_constant<int, 32>{})
                        : f(std::integral_constant<int, 64>{});
}

}  // namespace nz::kernels::cuda
