// The searches from many sources on a GPU.
#pragma once

#include "nonzero/traverse.hpp"
#include "plan/traverse_many.hpp"

#include <span>

namespace nz::ops {

traverse_many_result traverse_many_on_device(const context& ctx, const matrix& a,
                                             std::span<const offset_t> sources,
                                             const traverse_many_options& o,
                                             const plan::traverse_many_plan& plan);

}  // namespace nz::ops
