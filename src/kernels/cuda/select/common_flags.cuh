// Select on a GPU: a bit for every entry that is kept, from which entries and rows know their places.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_tile_rows.cuh"
#include "kernels/select_arguments.hpp"
#include "plan/select.hpp"

#include <cub/device/device_scan.cuh>

namespace nz::kernels::cuda::select_detail {

inline constexpr unsigned block = 256;
inline constexpr int words_a_tile = static_cast<int>(plan::select_tile / plan::select_word);
static_assert(words_a_tile == 32);  // one a lane

inline unsigned blocks_of_tiles(offset_t entries) {
    return static_cast<unsigned>((plan::select_tiles(entries) + block / 32 - 1) / (block / 32));
}

using rows_of_tile = tile_rows<index_t, static_cast<int>(plan::select_tile)>;

/// A warp has a tile: keep(row, entry, column) says which of its entries stay, where it needs row and column.
template <class Keep>
__global__ void __launch_bounds__(block)
    flag_entries(device_select_arguments k, plan::select_parts parts, Keep keep) {
    const offset_t tile = offset_t{blockIdx.x} * (block / 32) + threadIdx.x / 32;
    if (tile >= plan::select_tiles(k.entries)) return;
    const unsigned lane = threadIdx.x % 32;
    const offset_t begin = tile * plan::select_tile, end = min(begin + plan::select_tile, k.entries);
    unsigned mine = 0;
    const auto flag = [&](auto&& row_of) {
#pragma unroll 4
        for (int w = 0; w < words_a_tile; ++w) {
            const offset_t p = begin + w * plan::select_word + lane;
            const index_t row = row_of(w);
            bool kept = false;
            if (p < end) {
                index_t column = 0;
                if constexpr (Keep::needs_column) column = __ldg(k.columns + p);
                kept = keep(row, p, column);
            }
            const unsigned word = __ballot_sync(full_warp, kept);
            if (lane == static_cast<unsigned>(w)) mine = word;
        }
    };
    if constexpr (Keep::needs_row) {
        __shared__ rows_of_tile rows[block / 32];
        const device_offsets offsets{k.offsets.data, k.offsets.wide};
        flag(tile_row_reader(rows[threadIdx.x / 32], offsets, k.rows, begin, end,
                             [](index_t row) { return row; }));
    } else {
        flag([](int) { return 0; });
    }
    unsigned before = __popc(mine);
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
        const unsigned below = __shfl_up_sync(full_warp, before, step);
        if (lane >= step) before += below;
    }
    const offset_t word = tile * words_a_tile + lane;
    parts.words[word] = mine;
    parts.before[word] = static_cast<std::uint16_t>(before - __popc(mine));
    if (lane == 31) parts.starts[tile + 1] = before;
}

template <class Keep>
void count(const device_select_arguments& k, const Keep& keep, void* stream) {
    const auto on = static_cast<cudaStream_t>(stream);
    const plan::select_parts parts(k.workspace, k.entries);
    offset_t* const starts = parts.starts;
    check(cudaMemsetAsync(starts, 0, sizeof *starts, on));
    if (k.entries == 0) return;
    flag_entries<<<blocks_of_tiles(k.entries), block, 0, on>>>(k, parts, keep);
    std::size_t bytes = k.scan_bytes;
    check(cub::DeviceScan::InclusiveSum(k.temporary, bytes, starts + 1, starts + 1,
                                        plan::select_tiles(k.entries), on));
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda::select_detail
