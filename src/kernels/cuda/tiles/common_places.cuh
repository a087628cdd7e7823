// Where a block's rows of tiles go: one addition to the arrays' counts gives the block its place, whichever that is.
#pragma once

#include "kernels/cuda/tiles/common_walk.cuh"
#include "kernels/device_tiles.hpp"

namespace nz::kernels::cuda {

constexpr unsigned places_block = 128;  // threads

__device__ inline std::uint32_t sum_up_to_lane(std::uint32_t x) {
    return static_cast<std::uint32_t>(sum_up_to<32>(static_cast<int>(x)));
}
__device__ inline tile_counts sum_up_to_lane(const tile_counts& x) {
    return {sum_up_to_lane(x.tiles), sum_up_to_lane(x.kept), sum_up_to_lane(x.outside)};
}
__device__ inline tile_counts from_lane(const tile_counts& x, int lane) {
    return {__shfl_sync(full_warp, x.tiles, lane), __shfl_sync(full_warp, x.kept, lane),
            __shfl_sync(full_warp, x.outside, lane)};
}
__device__ inline tile_counts operator+(const tile_counts& x, const tile_counts& y) {
    return {x.tiles + y.tiles, x.kept + y.kept, x.outside + y.outside};
}
__device__ inline tile_counts operator-(const tile_counts& x, const tile_counts& y) {
    return {x.tiles - y.tiles, x.kept - y.kept, x.outside - y.outside};
}

/// Where the parts of a warp begin, or that there is no room for the block's.
struct warp_places {
    tile_counts first;
    bool room;
};

/// All threads of the block call it with what their warp has in all. Tiles and entries in them are added at once, so that both
/// stand in one order and a tile's entries end where the next one's begin; entries outside are placed from the back.
__device__ inline warp_places take_places(const device_tile_build& b, const tile_counts& of_warp) {
    __shared__ tile_counts of_warps[places_block / 32], first;
    __shared__ bool room;
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) of_warps[warp] = of_warp;
    __syncthreads();
    if (threadIdx.x == 0) {
        tile_counts all;
        for (const tile_counts& w : of_warps) all = all + w;
        const unsigned long long before =
            atomicAdd(reinterpret_cast<unsigned long long*>(b.counts),
                      static_cast<unsigned long long>(all.kept) << 32 | all.tiles);
        const std::uint32_t outside = all.outside ? atomicAdd(&b.counts->outside, all.outside) : 0;
        first = {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(before >> 32),
                 b.room.outside - outside - all.outside};
        room = first.tiles + all.tiles <= b.room.tiles && first.kept + all.kept <= b.room.kept &&
               (!all.outside || outside + all.outside <= b.room.outside);
        if (room) b.entry_starts[first.tiles + all.tiles] = first.kept + all.kept;
    }
    __syncthreads();
    tile_counts own = first;
    for (unsigned w = 0; w < warp; ++w) own = own + of_warps[w];
    return {own, room};
}

/// What a row of tiles has, `i`, from `at` on.
__device__ inline void write_ranges(const device_tile_build& b, index_t i, const tile_counts& at,
                                    const tile_counts& count) {
    b.tile_ranges[i] = {at.tiles, at.tiles + count.tiles};
    b.extracted_ranges[i] = {at.outside, at.outside + count.outside};
}

}  // namespace nz::kernels::cuda
