#include "ops/traverse_arguments.hpp"

namespace nz::ops {

void level_receiver::hear(void* self, const traverse_level& level) {
    auto& [result, options] = *static_cast<level_receiver*>(self);
    result.iterations.push_back(level);
    if (options.on_level) options.on_level(level);
}

kernels::traverse_arguments common_arguments(const matrix& a, offset_t source, const traverse_options& o,
                                             const plan::traverse_plan& plan) {
    kernels::traverse_arguments k;
    k.vertices = static_cast<index_t>(a.rows());
    k.source = static_cast<index_t>(source);
    k.max_depth = o.max_depth;
    k.switches = o.switches;
    k.thresholds = plan.thresholds;
    k.schedule = o.schedule;
    k.smallest_parent = asks_smallest_parent(o);
    return k;
}

}  // namespace nz::ops
