// Breadth-first search: one traverse.
#include "nonzero/algorithms.hpp"
#include "ops/traverse.hpp"

namespace nz {

traverse_result bfs(const context& ctx, const matrix& a, offset_t source, const traverse_options& options) {
    return ops::traverse(ctx, a, source, options);
}

}  // namespace nz
