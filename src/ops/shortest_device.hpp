// Shortest paths on a GPU.
#pragma once

#include "nonzero/shortest.hpp"
#include "plan/shortest.hpp"

namespace nz::ops {

shortest_result shortest_on_device(const context& ctx, const matrix& a, offset_t source,
                                   const shortest_options& o, const plan::shortest_plan& plan);

}  // namespace nz::ops
