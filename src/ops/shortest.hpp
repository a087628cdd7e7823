// The shortest operation: what shortest-path algorithms are written over.
#pragma once

#include "nonzero/shortest.hpp"
#include "plan/shortest.hpp"

namespace nz::ops {

/// d = min(d, d (min.+) A) from one source until nothing changes.
shortest_result shortest(const context& ctx, const matrix& a, offset_t source,
                         const shortest_options& options);
/// The plan that shortest would run.
plan::shortest_plan plan_shortest(const context& ctx, const matrix& a, const shortest_options& options);
/// The type of distances over weights of this type, as asked for or by default. Throws domain_error.
dtype distance_type(dtype weights, std::optional<dtype> asked);

}  // namespace nz::ops
