// shortest/relax_loop: the generic form, a loop over mxv; on every backend.
#pragma once

#include "nonzero/shortest.hpp"

namespace nz::ops {

shortest_result shortest_loop(const context& ctx, const matrix& a, offset_t source,
                              const shortest_options& options);

}  // namespace nz::ops
