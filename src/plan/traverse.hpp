// plan::traverse: which form of the loop runs, and the thresholds it runs with.
#pragma once

#include "plan/direction.hpp"
#include "plan/workspace.hpp"

namespace nz::plan {

struct traverse_facts {
    offset_t vertices = 0;
    bool columns_ready = false;  ///< the transpose is at hand, or the matrix is symmetric
    bool change_direction = true;
    double alpha = -1, beta = -1;  ///< asked for; negative: the plan's own
    std::string_view pinned{};
};

struct traverse_plan {
    std::string_view kernel;
    direction_thresholds thresholds{};
    bool builds_transpose = false;    ///< pull reads columns that are not there yet
    std::size_t workspace_bytes = 0;  ///< of order vertices
    std::string_view reason;

    friend bool operator==(const traverse_plan&, const traverse_plan&) = default;
};

/// Bytes of the fused kernel: two queues, four bitmaps and one packed word a vertex.
constexpr std::size_t push_pull_fused_workspace(offset_t vertices) {
    const auto n = static_cast<std::size_t>(vertices);
    return 2 * padded(n * sizeof(index_t)) + 4 * padded((n + 63) / 64 * 8) +
           padded(n * sizeof(std::uint64_t));
}

constexpr traverse_plan traverse(const traverse_facts& f) noexcept {
    traverse_plan plan;
    plan.kernel = f.pinned.empty() ? "push_pull_fused" : f.pinned;
    plan.reason =
        f.pinned.empty() ? "one kernel for all levels: no operation call, no conversion a level" : "pinned";
    if (f.alpha >= 0) plan.thresholds.alpha = f.alpha;
    if (f.beta >= 0) plan.thresholds.beta = f.beta;
    plan.builds_transpose = f.change_direction && !f.columns_ready;
    if (plan.kernel == "push_pull_fused") plan.workspace_bytes = push_pull_fused_workspace(f.vertices);
    return plan;
}

}  // namespace nz::plan
