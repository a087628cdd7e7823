// betweenness/sweep_loop: the generic form, two sweeps of products a source; on every backend.
#pragma once

#include "nonzero/centrality.hpp"

#include <span>

namespace nz::ops {

centrality_result betweenness_loop(const context& ctx, const matrix& a, std::span<const offset_t> sources);

}  // namespace nz::ops
