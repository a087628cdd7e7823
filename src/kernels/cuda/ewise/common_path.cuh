// What the count and the fill of ewise/balanced_path share: their block and how operands are read.
#pragma once

#include "core/cuda_check.hpp"
#include "kernels/cuda/common_grid.cuh"
#include "kernels/cuda/common_launch.cuh"
#include "kernels/cuda/common_offsets.cuh"
#include "kernels/device_ewise_arguments.hpp"
#include "plan/ewise.hpp"

namespace nz::kernels::cuda {

constexpr int path_block = 256;
constexpr int path_warps = path_block / 32;
/// Words of a tile that a warp takes.
constexpr int warp_words = plan::ewise_tile_words / path_warps;
static_assert(plan::ewise_tile_entries % path_block == 0 && plan::ewise_group_tiles == path_block);

struct device_side {
    device_offsets offsets;
    const index_t* columns;
    int step;

    explicit device_side(const ewise_side& s)
        : offsets{s.offsets.data, s.offsets.wide}, columns(s.columns), step(static_cast<int>(s.step)) {}
};

}  // namespace nz::kernels::cuda
