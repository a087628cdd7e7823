// The fused traversal on a GPU.
#pragma once

#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"

namespace nz::ops {

traverse_result traverse_on_device(const context& ctx, const matrix& a, offset_t source,
                                   const traverse_options& o, const plan::traverse_plan& plan);

}  // namespace nz::ops
