// What the fused traversal is called with, on every backend.
#pragma once

#include "kernels/mxv_arguments.hpp"
#include "nonzero/traverse.hpp"
#include "plan/direction.hpp"

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
    int threads = 1;
    void (*on_level)(void* receiver, const traverse_level& level) = nullptr;
    void* receiver = nullptr;
};

struct traverse_totals {
    offset_t reached = 0;  ///< vertices
    offset_t edges = 0;    ///< entries in their rows
};

}  // namespace nz::kernels
