// traverse/push_pull_loop: the generic form, a loop over mxv; on every backend.
#pragma once

#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"

namespace nz::ops {

traverse_result traverse_loop(const context& ctx, const matrix& a, offset_t source,
                              const traverse_options& options, const plan::traverse_plan& plan);

}  // namespace nz::ops
