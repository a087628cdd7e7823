// plan::shortest: which form of the search runs, the width of its buckets, and its memory.
#pragma once

#include "nonzero/shortest.hpp"
#include "plan/workspace.hpp"

#include <limits>

namespace nz::plan {

struct shortest_facts {
    offset_t vertices = 0, nnz = 0;
    double mean_weight = 0;
    dtype type = dtype::int32;  ///< of distances
    bool near_far = true;
    double delta = -1;  ///< asked for; negative: the plan's own
    std::string_view pinned{};
    bool on_device = false;   ///< the context has a GPU
    bool one_length = false;  ///< of all edges
    bool limited = false;     ///< the matrix's memory is: what stays with it would be missing elsewhere
    offset_t measured = 0;    ///< edges that such searches went through before
};

struct shortest_plan {
    std::string_view kernel;
    double first_delta = 0,
           delta = 0;  ///< widths of the first bucket and of later ones; infinite: one bucket
    bool on_device = false;
    offset_t list_capacity = 0;       ///< entries in each list
    std::size_t workspace_bytes = 0;  ///< of order vertices
    bool joined = false;              ///< lengths lie beside ends of edges
    std::string_view reason;

    friend bool operator==(const shortest_plan&, const shortest_plan&) = default;
};

/// delta = breadth * mean weight / mean degree. With fewer edges a vertex, fewer paths compete in a bucket, and more of
/// them fit one round; the breadth weighs vertices relaxed again against rounds, which are most of the time where rows
/// have few edges on a GPU. docs/measurements/graphs.md.
inline constexpr double delta_breadth = 16, delta_breadth_of_few_edges_on_device = 32;
inline constexpr offset_t few_edges = 8;  // a row, on the mean, at most
/// The first bucket is so much narrower, each after it wider by half until delta is reached: the first hops lead to hubs,
/// whose long rows are relaxed again for every shorter way that a wide bucket finds only later.
inline constexpr double delta_first_share = 1.0 / 20;
/// Joining edges with their lengths on a CPU takes about two searches' gain where rows are short (grid2d:1000,0.15: 38 -> 31 ms a
/// search); on rmat:18,16 and uniform:262144,16 nothing is gained.
inline constexpr offset_t joined_after = 2;
/// A row on a GPU is cut into pieces of so many edges.
inline constexpr offset_t shortest_piece_edges = 128;

/// Room in a list: every vertex once (on a GPU every piece); what vertices that improve more often in one round need
/// beyond is dropped and found again.
constexpr offset_t shortest_list(offset_t vertices, offset_t nnz, bool on_device) {
    return vertices + (on_device ? nnz / shortest_piece_edges : 0) + 8192;
}

/// Bytes on a CPU: the distances that were relaxed from, and four lists of vertices with their distances.
constexpr std::size_t shortest_workspace(offset_t vertices, offset_t list, dtype type) {
    const auto n = static_cast<std::size_t>(vertices), l = static_cast<std::size_t>(list);
    return padded(n * size_of(type)) + 4 * padded(l * 2 * size_of(type));
}
/// On a GPU: counters, the distances that were relaxed from, and two queues of pieces.
constexpr std::size_t shortest_device_workspace(offset_t vertices, offset_t list, dtype type) {
    const auto n = static_cast<std::size_t>(vertices), l = static_cast<std::size_t>(list);
    return 512 + padded(n * size_of(type)) + 2 * padded(l * (size_of(type) == 4 ? 16 : 32));
}

constexpr shortest_plan shortest(const shortest_facts& f) noexcept {
    shortest_plan plan;
    plan.kernel = f.pinned.empty() ? "delta_stepping" : f.pinned;
    plan.reason = f.pinned.empty() ? "near vertices first: few are relaxed from twice" : "pinned";
    if (plan.kernel != "delta_stepping") return plan;
    plan.on_device = f.on_device;
    const double degree =
        f.vertices && f.nnz ? static_cast<double>(f.nnz) / static_cast<double>(f.vertices) : 1;
    const bool few = f.nnz <= few_edges * f.vertices;
    const double breadth = f.on_device && few ? delta_breadth_of_few_edges_on_device : delta_breadth;
    plan.delta = f.delta >= 0 ? f.delta : breadth * f.mean_weight / degree;
    if (!f.near_far) plan.delta = std::numeric_limits<double>::infinity();
    plan.joined = !f.on_device && few && !f.one_length && !f.limited && f.measured >= joined_after * f.nnz;
    plan.first_delta = f.near_far ? plan.delta * delta_first_share : plan.delta;
    plan.list_capacity = shortest_list(f.vertices, f.nnz, f.on_device);
    plan.workspace_bytes = f.on_device ? shortest_device_workspace(f.vertices, plan.list_capacity, f.type)
                                       : shortest_workspace(f.vertices, plan.list_capacity, f.type);
    return plan;
}

}  // namespace nz::plan
