// What the fused traversal is told alike on every backend.
#pragma once

#include "kernels/traverse_arguments.hpp"
#include "nonzero/traverse.hpp"
#include "plan/traverse.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// Whether the parent of a vertex is the smallest, of those that a hub-first row leaves the first that is met. A GPU's pull then asks
/// two neighbours beforehand and goes on behind them: they have to be the first of the row (plan::traverse_facts::any_parent).
inline bool asks_smallest_parent(const traverse_options& o) {
    return o.parents && o.determinism == determinism::strict;
}

/// Arrays and workspace are left to the backend.
kernels::traverse_arguments common_arguments(const matrix& a, offset_t source, const traverse_options& o,
                                             const plan::traverse_plan& plan);

/// Who hears of the levels on a CPU: the result, and the caller where he asked.
struct level_receiver {
    traverse_result& result;
    const traverse_options& options;
    static void hear(void* self, const traverse_level& level);
};

}  // namespace nz::ops
