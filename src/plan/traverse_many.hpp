// plan::traverse_many: which kernel searches from many sources, its working memory, and the rule for the direction
// of a level.
#pragma once

#include "nonzero/plan.hpp"
#include "plan/workspace.hpp"

namespace nz::plan {

/// Sources of a batch: bits of a word.
inline constexpr int batch_sources = 64;
/// Binary digits of a level that a CPU keeps apart, one word a vertex each, before it writes levels out: every 63 levels
/// on a deep graph, once on a shallow one.
inline constexpr int level_digits = 6;
inline constexpr std::uint32_t levels_a_flush = (1u << level_digits) - 1;
/// Levels whose finds a GPU keeps as they are, one word a vertex each, before it writes them out. The last of them is the frontier too.
inline constexpr int level_planes = 9;

/// Costs of a level in words of a vertex read by pull. A push changes a word by an atomic operation, as a rule after a look at
/// another; a pull reads every vertex's own word, in order, whatever is open.
struct many_costs {
    offset_t push_edge = 3;
    offset_t pull_vertices = 2;  ///< vertices whose own words cost as much as one edge
    /// A source with fewer of the vertices than one in so many in its frontier is slow.
    offset_t slow_share = 4096;

    friend bool operator==(const many_costs&, const many_costs&) = default;
};

struct many_level_facts {
    offset_t vertices = 0;
    offset_t frontier_edges = 0;  ///< entries in the rows of the frontier
    offset_t open_edges = 0;      ///< entries in the columns of vertices that lack a source's bit
};

struct many_choice {
    nz::direction direction;
    std::string_view reason;
};

/// The direction of a level: the cheaper of both. Words hold the bits of many frontiers, so that their number says
/// less than their edges: no history is needed, and none is kept.
constexpr many_choice choose_many_direction(const many_level_facts& f, const many_costs& costs) noexcept {
    if (costs.push_edge * f.frontier_edges > f.open_edges + f.vertices / costs.pull_vertices)
        return {direction::pull, "the frontier's edges cost more than those of the vertices that lack bits"};
    return {direction::push, "the frontier has few edges beside the vertices that lack bits"};
}

/// Whether a source's bits are pushed beside a pull: few vertices have them yet, so that rows would be looked through
/// to their ends in vain, while pushing them is little work. On a Kronecker graph of scale 20 four to six of 64 sources
/// are in the level that is most of the search, and a pull without them looks at half as many neighbours.
constexpr bool is_slow(offset_t frontier, offset_t vertices, const many_costs& costs) noexcept {
    return frontier > 0 && frontier * costs.slow_share < vertices;
}

struct traverse_many_facts {
    offset_t vertices = 0, nnz = 0, sources = 0;
    bool levels = true;
    bool columns_ready = false;  ///< the transpose is at hand, or the matrix is symmetric
    bool on_device = false;      ///< the context has a GPU
    bool scheduled = false;      ///< directions are asked for level by level
    offset_t depth = -1;         ///< levels of a search from one source; -1: not collected
    std::string_view pinned{};
};

/// On a CPU 64 frontiers of a deep, thin graph hardly ever meet, so that every level passes over the marks of all
/// vertices for little: a grid of 1000 x 1000 (3.4 entries a row) took nearly five times as long as 64 single
/// searches. Rows so short make it worth while to look how deep one source's search goes.
inline constexpr offset_t thin_degree = 8, deep_levels = 256;
constexpr bool asks_for_depth(const traverse_many_facts& f) noexcept {
    return f.pinned.empty() && !f.on_device && !f.scheduled && f.sources > 1 &&
           f.nnz <= thin_degree * f.vertices;
}

struct traverse_many_plan {
    std::string_view kernel;
    many_costs costs{};
    bool builds_transpose = false;
    bool on_device = false;
    offset_t batches = 0;
    offset_t queue_capacity = 0;      ///< pieces of rows, on a GPU
    offset_t long_capacity = 0;       ///< pieces of long columns, on a GPU
    std::size_t workspace_bytes = 0;  ///< of order vertices
    std::string_view reason;

    friend bool operator==(const traverse_many_plan&, const traverse_many_plan&) = default;
};

/// Vertices for which the CPU keeps one mark "a word here is new", and the GPU.
inline constexpr offset_t cpu_mark_vertices = 64, device_mark_vertices = 32;

/// Pieces of up to 128 edges that all rows make, the room in a GPU's queue.
constexpr offset_t bit_parallel_queue(offset_t vertices, offset_t nnz) { return vertices + nnz / 128; }
/// A GPU's pull shares columns of more entries out, in pieces of as many.
inline constexpr offset_t long_column = 1024;
constexpr offset_t bit_parallel_long(offset_t nnz) { return 2 * (nnz / long_column) + 1; }

constexpr std::size_t words_a_vertex(offset_t vertices, int words) {
    return static_cast<std::size_t>(words) * padded(static_cast<std::size_t>(vertices) * 8);
}
/// Bytes of three words a vertex (seen, next, frontier) and the digits of its levels where they are wanted; a queue of vertices and
/// marks.
constexpr std::size_t bit_parallel_workspace(offset_t vertices, bool levels) {
    const auto n = static_cast<std::size_t>(vertices);
    return words_a_vertex(vertices, 3 + (levels ? level_digits : 0)) + padded(n * sizeof(index_t)) +
           padded(n / cpu_mark_vertices + 1);
}
/// On a GPU of two words (seen, next) and the frontier or the planes of levels; counters, marks of groups (a byte; with levels three), a
/// queue of pieces with their vertices, and the pieces of long columns.
constexpr std::size_t bit_parallel_device_workspace(offset_t vertices, offset_t queue, offset_t long_pieces,
                                                    bool levels) {
    const auto q = static_cast<std::size_t>(queue),
               groups = static_cast<std::size_t>(vertices / device_mark_vertices);
    return 2048 + words_a_vertex(vertices, 2 + (levels ? level_planes : 1)) + padded(groups + 8) +
           (levels ? padded(2 * groups + 32) : 0) + padded(q * 8) + padded(q * 4) +
           padded(static_cast<std::size_t>(long_pieces) * 8);
}

constexpr traverse_many_plan traverse_many(const traverse_many_facts& f) noexcept {
    traverse_many_plan plan;
    plan.kernel = f.pinned.empty() ? "bit_parallel" : f.pinned;
    plan.reason = f.pinned.empty() ? "64 sources share each look at an edge" : "pinned";
    if (asks_for_depth(f) && f.depth > deep_levels) {
        plan.kernel = "one_by_one";
        plan.reason = "deep and thin: frontiers of different sources hardly meet";
    }
    plan.batches = (f.sources + batch_sources - 1) / batch_sources;
    if (plan.kernel != "bit_parallel") return plan;
    plan.builds_transpose = !f.columns_ready;
    plan.on_device = f.on_device;
    if (f.on_device) {
        plan.queue_capacity = bit_parallel_queue(f.vertices, f.nnz);
        plan.long_capacity = bit_parallel_long(f.nnz);
        plan.workspace_bytes =
            bit_parallel_device_workspace(f.vertices, plan.queue_capacity, plan.long_capacity, f.levels);
    } else {
        plan.workspace_bytes = bit_parallel_workspace(f.vertices, f.levels);
    }
    return plan;
}

}  // namespace nz::plan
