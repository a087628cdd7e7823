// Breadth-first searches from many sources: one traverse_many.
#include "nonzero/algorithms.hpp"
#include "ops/traverse_many.hpp"

namespace nz {

traverse_many_result bfs_many(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const traverse_many_options& options) {
    return ops::traverse_many(ctx, a, sources, options);
}

}  // namespace nz
