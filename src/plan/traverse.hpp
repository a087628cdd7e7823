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
    bool on_device = false;  ///< the context has a GPU
    offset_t nnz = 0;
    bool parents = true;
    bool scheduled = false;
    offset_t longest_row = 0;  ///< entries; asked for on a GPU
    bool plain = true;         ///< masking, early exit, operand reuse and structure only: all on
    bool any_parent = false;   ///< or none
};

/// Room in each of a GPU's two queues, in pieces of up to 128 edges: what every vertex and edge could fill; where pull
/// can step in for a level that does not fit, an eighth of the vertices is more than the rule ever pushes.
constexpr offset_t push_pull_fused_queue(offset_t vertices, offset_t nnz, bool pull_steps_in) {
    return (pull_steps_in ? vertices / 8 : vertices) + nnz / 128 + 16384;
}

/// Bytes of the fused kernel on a GPU: counters, three bitmaps and a coarse one, two queues, with parents the vertices of their pieces.
constexpr std::size_t push_pull_fused_device_workspace(offset_t vertices, offset_t queue, bool parents) {
    const auto q = static_cast<std::size_t>(queue);
    const auto words = (static_cast<std::size_t>(vertices) + 31) / 32;
    return 512 + 3 * padded(words * 4) + padded(words * 2 + 16) + 2 * padded(q * 8) +
           (parents ? 2 * padded(q * 4) : 0);
}

/// Whether some rows are hubs: much longer than the mean.
constexpr bool has_hubs(const traverse_facts& f) noexcept {
    constexpr offset_t much_longer = 16;
    return f.vertices > 0 && f.longest_row / much_longer >= f.nnz / f.vertices + 1;
}

/// What a GPU's push and pull cost where no row is a hub: a pushed edge about 30 ps (an atomic operation in L2), while a pull
/// goes through most of all rows until a twentieth of the edges leads to visited vertices.
constexpr direction_thresholds no_hubs_on_device{0.05, 0.01, 0.05};

struct traverse_plan {
    std::string_view kernel;
    direction_thresholds thresholds{};
    bool builds_transpose = false;  ///< pull reads columns that are not there yet
    bool on_device = false;
    /// A GPU's pull asks each vertex's two strongest in-neighbours first (8 bytes a vertex, found once). On Kronecker graphs
    /// they answer for 94 to 99.9% of the vertices that the first pull finds.
    bool asks_hubs = false;
    offset_t queue_capacity = 0;      ///< pieces, on a GPU
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
    const bool fused_on_device = f.on_device && plan.kernel == "push_pull_fused";
    if (fused_on_device && !has_hubs(f)) plan.thresholds = no_hubs_on_device;
    if (f.alpha >= 0) plan.thresholds.alpha = f.alpha;
    if (f.beta >= 0) plan.thresholds.beta = f.beta;
    plan.builds_transpose = f.change_direction && !f.columns_ready;
    if (plan.kernel != "push_pull_fused") return plan;
    plan.on_device = f.on_device;
    if (f.on_device) {
        plan.asks_hubs = f.change_direction && f.plain && f.any_parent && has_hubs(f);
        // The default rule pushes at most alpha of the vertices; whoever sets directions himself gets full room.
        const bool pull_steps_in = f.change_direction && !f.scheduled && plan.thresholds.alpha <= 0.1;
        plan.queue_capacity = push_pull_fused_queue(f.vertices, f.nnz, pull_steps_in);
        plan.workspace_bytes = push_pull_fused_device_workspace(f.vertices, plan.queue_capacity, f.parents);
    } else {
        plan.workspace_bytes = push_pull_fused_workspace(f.vertices);
    }
    return plan;
}

}  // namespace nz::plan
