// The betweenness operation: shortest paths from some sources counted, and what each vertex hands on of them.
#pragma once

#include "nonzero/centrality.hpp"
#include "plan/betweenness.hpp"

#include <span>

namespace nz::ops {

/// Centralities that are not normalised.
centrality_result betweenness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const centrality_options& options);
plan::betweenness_plan plan_betweenness(const context& ctx, const matrix& a,
                                        std::span<const offset_t> sources, const centrality_options& options);

}  // namespace nz::ops
