// The traverse operation: what graph searches are written over.
#pragma once

#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"

namespace nz::ops {

/// Repeats f = (f A) masked by "not visited" from one source until f is empty.
traverse_result traverse(const context& ctx, const matrix& a, offset_t source,
                         const traverse_options& options);
/// The plan that traverse would run.
plan::traverse_plan plan_traverse(const context& ctx, const matrix& a, const traverse_options& options);

}  // namespace nz::ops
