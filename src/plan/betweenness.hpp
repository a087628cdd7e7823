// plan::betweenness: which kernel serves, how many sources go at once, and when a level is pulled.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace nz::plan {

struct betweenness_facts {
    offset_t vertices = 0, entries = 0;
    offset_t longest_row = 0;  ///< entries
    std::size_t sources = 0;
    bool on_device = false;
    std::string_view pinned{};
};

struct betweenness_plan {
    std::string_view kernel;
    bool on_device = false;
    int batch = 0;  ///< sources at a time, at most 64
    std::string_view reason;

    friend bool operator==(const betweenness_plan&, const betweenness_plan&) = default;
};

/// Sources that share a word, and on a CPU those whose rows of paths stay a line or two.
inline constexpr int betweenness_most = 64, betweenness_most_on_cpu = 16;

/// Graphs whose searches go on for many levels of few vertices, as far as degrees tell: short rows, none of them a hub's.
/// Batches of sources then share little but joins, eight a level. The two bounds are not measured.
constexpr bool betweenness_is_deep(const betweenness_facts& f) noexcept {
    constexpr offset_t mean = 6, longest = 16;
    return f.entries <= mean * f.vertices && f.longest_row <= longest;
}

constexpr betweenness_plan betweenness(const betweenness_facts& f) noexcept {
    betweenness_plan plan{f.pinned.empty() ? "batched" : f.pinned, f.on_device, 1, "pinned"};
    if (f.pinned.empty() && !f.on_device && betweenness_is_deep(f)) {
        plan.kernel = "queue";
        plan.reason = "rows are short: many levels of few vertices, which sources seldom share";
        return plan;
    }
    if (plan.kernel == "batched")
        plan.batch = static_cast<int>(std::clamp<std::size_t>(
            f.sources, 1,
            static_cast<std::size_t>(f.on_device ? betweenness_most : betweenness_most_on_cpu)));
    if (f.pinned.empty()) plan.reason = "sources share each level's reading of the edges";
    return plan;
}

/// Whether a level with so many edges out is looked for from the other side: a vertex marked by push is read once more.
constexpr bool betweenness_pulls(offset_t edges_out, offset_t entries) noexcept {
    constexpr offset_t share = 8;
    return edges_out > entries / share;
}

/// Bytes of a batch's words, path counts and lists; levels come on top.
constexpr std::size_t betweenness_workspace(offset_t vertices, int stride) noexcept {
    return static_cast<std::size_t>(vertices) * (3 * 8 + 8 * static_cast<std::size_t>(stride) + 2 * 4);
}

/// What one thread of betweenness/queue works in; paths have room for long doubles.
struct betweenness_queue_parts {
    void* paths;
    double* handed;
    index_t *depth, *queue;

    betweenness_queue_parts(void* memory, std::size_t vertices, int thread) {
        workspace_parts parts(static_cast<std::byte*>(memory) +
                              static_cast<std::size_t>(thread) * bytes(vertices));
        const auto n = static_cast<offset_t>(vertices);
        paths = parts.take<long double>(n);
        handed = parts.take<double>(n);
        depth = parts.take<index_t>(n);
        queue = parts.take<index_t>(n);
    }
    static constexpr std::size_t bytes(std::size_t vertices) {
        return padded(vertices * sizeof(long double)) + padded(vertices * sizeof(double)) +
               2 * padded(vertices * sizeof(index_t));
    }
};

}  // namespace nz::plan
