// plan::betweenness: which kernel serves, how many sources go at once, and when a level is pulled.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nz::plan {

struct betweenness_facts {
    offset_t vertices = 0, entries = 0;
    offset_t longest_row = 0;  ///< entries
    std::size_t sources = 0;
    bool on_device = false;
    std::string_view pinned{};
    int multiprocessors = 0;     ///< a GPU's
    std::size_t bytes_left = 0;  ///< where it runs, on a GPU once the edges are there
};

struct betweenness_plan {
    std::string_view kernel;
    bool on_device = false;
    int batch =
        0;  ///< sources at a time: of batched at most 64; of queue on a GPU those in flight, 1 on a CPU
    std::string_view reason;
    int blocks = 0;  ///< of queue on a GPU: those that share a source

    friend bool operator==(const betweenness_plan&, const betweenness_plan&) = default;
};

/// Sources that share a word, and on a CPU those whose rows of paths stay a line or two.
inline constexpr int betweenness_most = 64, betweenness_most_on_cpu = 16;

/// Graphs whose searches go on for many levels of few vertices, as far as degrees tell: short rows, none of them a hub's.
/// Batches of sources then share little but joins, eight a level, or launches. The two bounds are not measured.
constexpr bool betweenness_is_deep(const betweenness_facts& f) noexcept {
    constexpr offset_t mean = 6, longest = 16;
    return f.entries <= mean * f.vertices && f.longest_row <= longest;
}

/// On a GPU also where few sources go through rows that a thread each takes: with four, laplace3d:64 (64 levels) took 1.3 ms by
/// queues and 5.9 by batches, uniform:1048576,2 (17 levels) 2.4 and 7.6; with 64 the latter 44 and 20 (one H100).
constexpr bool betweenness_is_for_clusters(const betweenness_facts& f) noexcept {
    constexpr std::size_t few = 4;
    constexpr offset_t longest = 32;
    return f.on_device && f.sources <= few && f.longest_row <= longest;
}

/// What betweenness/queue on a GPU works in: an array of each kind, in it a stretch of `vertices` a source.
struct device_betweenness_queue_parts {
    double *paths, *handed;
    index_t *depth, *queue;
    std::uint32_t *behind, *starts;

    device_betweenness_queue_parts(void* memory, offset_t vertices, int sources) {
        workspace_parts parts(memory);
        const offset_t n = vertices * sources;
        paths = parts.take<double>(n);
        handed = parts.take<double>(n);
        depth = parts.take<index_t>(n);
        queue = parts.take<index_t>(n);
        behind = parts.take<std::uint32_t>(n);
        starts = parts.take<std::uint32_t>(n);
    }
    static constexpr std::size_t bytes(offset_t vertices, int sources) {
        const auto n = static_cast<std::size_t>(vertices) * static_cast<std::size_t>(sources);
        return 2 * padded(n * sizeof(double)) + 2 * padded(n * sizeof(index_t)) +
               2 * padded(n * sizeof(std::uint32_t));
    }
};

/// A GPU's sources in flight, as many as there is memory for, and clusters as large as one block a multiprocessor allows: two
/// were slower on grids with 64 sources, whose levels then push each other out of the second-level cache.
constexpr void betweenness_in_flight(const betweenness_facts& f, betweenness_plan& plan) noexcept {
    constexpr std::size_t share_of_memory = 2;  // others may hold some of it
    constexpr int most_blocks = 16;
    const std::size_t one = device_betweenness_queue_parts::bytes(f.vertices, 1),
                      fit = f.bytes_left / share_of_memory / std::max<std::size_t>(1, one);
    const auto resident = static_cast<std::size_t>(std::max(1, f.multiprocessors));
    plan.batch = static_cast<int>(std::max<std::size_t>(1, std::min({f.sources, resident, fit})));
    plan.blocks = most_blocks;
    while (plan.blocks > 1 && static_cast<std::size_t>(plan.blocks * plan.batch) > resident) plan.blocks /= 2;
}

/// Bytes of a batch's words, path counts and lists; levels come on top.
constexpr std::size_t betweenness_workspace(offset_t vertices, int sources) noexcept {
    return static_cast<std::size_t>(vertices) *
           (3 * 8 + 8 * static_cast<std::size_t>(std::bit_ceil(static_cast<unsigned>(sources))) + 2 * 4);
}

/// As many sources as share a word, fewer where their path counts would take more than half of what is left, the lists of levels beside
/// them.
constexpr int betweenness_batch(const betweenness_facts& f) noexcept {
    int batch = static_cast<int>(std::clamp<std::size_t>(
        f.sources, 1, static_cast<std::size_t>(f.on_device ? betweenness_most : betweenness_most_on_cpu)));
    while (batch > 1 && betweenness_workspace(f.vertices, batch) > f.bytes_left / 2) batch = (batch + 1) / 2;
    return batch;
}

constexpr betweenness_plan betweenness(const betweenness_facts& f) noexcept {
    betweenness_plan plan{f.pinned.empty() ? "batched" : f.pinned, f.on_device, 1, "pinned"};
    if (f.pinned.empty()) {
        plan.reason = "sources share each level's reading of the edges";
        if (betweenness_is_deep(f)) {
            plan.kernel = "queue";
            plan.reason = "rows are short: many levels of few vertices, which sources seldom share";
        } else if (betweenness_is_for_clusters(f)) {
            plan.kernel = "queue";
            plan.reason = "few sources, no long row: a cluster of blocks each";
        }
    }
    if (plan.kernel == "batched") plan.batch = betweenness_batch(f);
    if (plan.kernel == "queue" && f.on_device) betweenness_in_flight(f, plan);
    return plan;
}

/// Whether a level with so many edges out is looked for from the other side: a vertex marked by push is read once more.
constexpr bool betweenness_pulls(offset_t edges_out, offset_t entries) noexcept {
    constexpr offset_t share = 8;
    return edges_out > entries / share;
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
