// What a search from a batch of sources is called with, on every backend.
#pragma once

#include "kernels/offset_reader.hpp"
#include "nonzero/traverse.hpp"
#include "plan/traverse_many.hpp"

#include <cstdint>
#include <span>

namespace nz::kernels {

/// Of each vertex, [vertices] each, over all batches: kernels add to them. Null: not wanted.
struct vertex_sums {
    std::int64_t* reached = nullptr;
    std::int64_t* level_sums = nullptr;
    std::int32_t* depths = nullptr;  ///< begins at -1

    /// v is found by so many sources at this depth.
    constexpr void add(offset_t v, int sources, std::int32_t depth) const {
        reached[v] += sources;
        level_sums[v] += std::int64_t{sources} * depth;
        if (depths[v] < depth) depths[v] = depth;
    }
};

struct traverse_many_arguments {
    index_t vertices = 0;
    offset_t nnz = 0;
    offset_reader out_offsets;  ///< rows of A: where push looks; columns ascend in each
    const index_t* out_neighbours = nullptr;
    offset_reader in_offsets;  ///< columns of A: where pull looks
    const index_t* in_neighbours = nullptr;
    std::span<const index_t> sources;  ///< 1 to 64, repeats allowed
    offset_t max_depth = -1;
    plan::many_costs costs{};
    std::span<const direction> schedule{};
    void* workspace = nullptr;
    int threads = 1;
    std::int32_t* const* levels = nullptr;  ///< [sources], each [vertices], results; null: not wanted
    vertex_sums of_vertices{};
    void (*on_level)(void* receiver, const traverse_many_level& level) = nullptr;  ///< `batch` is left at 0
    void* receiver = nullptr;
};

/// What a batch found. Entries past its sources are 0.
struct traverse_many_totals {
    offset_t reached[plan::batch_sources] = {}, level_sums[plan::batch_sources] = {};
    std::int32_t depths[plan::batch_sources] = {};
    offset_t edges = 0;  ///< entries in the rows of reached vertices, summed over the sources
};

/// What a GPU's search leaves about one level.
struct traverse_many_record {
    std::uint32_t frontier;  ///< vertices
    std::uint32_t pull;      ///< 0: push
    std::uint64_t slow;      ///< sources pushed beside a pull, as bits
    std::uint64_t pairs, edges, open_edges;
    std::uint64_t ticks;  ///< of a clock whose last reading is in the report
};

/// What it leaves about the whole. Records of levels past the capacity are not kept.
struct traverse_many_report {
    static constexpr std::uint32_t capacity = 1u << 16;
    std::uint64_t levels;                          ///< begun
    std::uint64_t edges, search_ticks, end_ticks;  ///< the search's end; after it, levels are written
    std::uint64_t reached[plan::batch_sources], level_sums[plan::batch_sources];
    std::uint32_t depths[plan::batch_sources];
    traverse_many_record records[capacity];
};

/// The arguments on a GPU: pointers are the device's, but for sources and schedule, which are read at the launch, and
/// for on_level and receiver, which are not looked at; threads are the device's own.
struct device_traverse_many_arguments {
    traverse_many_arguments common;           ///< its levels are left null
    std::int32_t* levels = nullptr;           ///< [sources][level_stride], result; null: not wanted
    const std::uint32_t* in_empty = nullptr;  ///< bitmap: vertices without in-neighbours
    traverse_many_report* report = nullptr;
    offset_t queue_capacity = 0;  ///< pieces of rows
    offset_t long_capacity = 0;   ///< pieces of long columns
    offset_t level_stride = 0;    ///< from a source's levels to the next's, a multiple of 32
    int multiprocessors = 0;
};

}  // namespace nz::kernels
