// betweenness/sweep_loop: the generic form, two sweeps of products a source; on every backend.
#pragma once

#include "nonzero/centrality.hpp"

#include <optional>
#include <span>

namespace nz::ops {

/// Nothing where numbers of paths are beyond doubles.
std::optional<centrality_result> betweenness_loop(const context& ctx, const matrix& a,
                                                  std::span<const offset_t> sources);

}  // namespace nz::ops
