// What the fused traversal is called with, on every backend.
#pragma once

#include "kernels/offset_reader.hpp"
#include "nonzero/traverse.hpp"
#include "plan/direction.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nz::kernels {

struct traverse_arguments {
    index_t vertices = 0;
    offset_reader out_offsets;  ///< rows of A: where push looks
    const index_t* out_neighbours = nullptr;
    offset_reader in_offsets;  ///< columns of A: where pull looks; data null when it never does
    const index_t* in_neighbours = nullptr;
    const bool* out_values = nullptr;  ///< read only with structure_only off; null: every entry is true
    const bool* in_values = nullptr;
    index_t source = 0;
    offset_t max_depth = -1;
    traverse_switches switches{};
    plan::direction_thresholds thresholds{};
    std::span<const direction> schedule{};
    bool smallest_parent = true;      ///< strict determinism; otherwise any parent
    std::int32_t* levels = nullptr;   ///< [vertices], result
    std::int32_t* parents = nullptr;  ///< [vertices], result; null: not wanted
    void* workspace = nullptr;
    /// Entries that a CPU's queue takes with duplicates on; 0: as many as there are vertices, for which there is room.
    offset_t queue_room = 0;
    int threads = 1;
    void (*on_level)(void* receiver, const traverse_level& level) = nullptr;
    void* receiver = nullptr;
};

/// What a GPU's search leaves about one level.
struct traverse_record {
    std::uint32_t frontier;  ///< vertices
    std::uint32_t pull;      ///< 0: push
    std::uint64_t edges;     ///< in the rows of the frontier
    std::uint64_t ticks;     ///< of a clock whose last reading is in the report
};

/// What it leaves about the whole. Records of levels past the capacity are not kept.
struct traverse_report {
    static constexpr std::uint32_t capacity = 1u << 16;
    std::uint64_t levels;  ///< begun
    std::uint64_t reached, edges, end_ticks;
    traverse_record records[capacity];
};

/// The beginning of a report: all of it for most searches, and what the host hears without asking.
struct traverse_told {
    static constexpr std::uint32_t capacity = 32;
    std::uint64_t levels, reached, edges, end_ticks;
    traverse_record records[capacity];
};
static_assert(offsetof(traverse_told, records) == offsetof(traverse_report, records));

/// Set in the second of the two in-neighbours that stand for a vertex's row: it has others. A vertex with one has it twice.
inline constexpr std::uint32_t heads_more = 1u << 31;

/// The arguments on a GPU: pointers are the device's, but for on_level and receiver, which it does not look at.
struct device_traverse_arguments {
    traverse_arguments common;
    offset_t nnz = 0;
    const std::uint32_t* in_empty = nullptr;  ///< bitmap: vertices without in-neighbours
    /// Two in-neighbours a vertex, the strongest, or the first where the smallest parent is asked; null: not at hand.
    const std::uint32_t* heads = nullptr;
    traverse_report* report = nullptr;
    traverse_told* told = nullptr;  ///< in pinned host memory, written when the search ends
    offset_t queue_capacity = 0;    ///< pieces of rows
    bool symmetric = false;         ///< in and out arrays are the same
    int multiprocessors = 0;
    int blocks = 0;  ///< of one cluster, where the plan wants no more; 0: the whole GPU
    /// Of a cluster; fewer than 16: no level goes by one cluster.
    int cluster_blocks = 16;
};

struct traverse_totals {
    offset_t reached = 0;  ///< vertices
    offset_t edges = 0;    ///< entries in their rows
};

}  // namespace nz::kernels
