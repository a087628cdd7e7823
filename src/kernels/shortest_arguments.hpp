// What the shortest-path kernels are called with, on every backend, and how they keep the length of a path.
#pragma once

#include "core/bits.hpp"
#include "kernels/offset_reader.hpp"
#include "nonzero/shortest.hpp"
#include "storage/path_length.hpp"

#include <cstdint>
#include <limits>

namespace nz::kernels {

using storage::path_length;
using storage::with_weight;

struct shortest_arguments {
    index_t vertices = 0;
    offset_reader offsets;  ///< rows of A
    const index_t* neighbours = nullptr;
    const void* weights = nullptr;  ///< of the distances' type: one for each entry, or one for all
    bool one_weight = false;
    const void* edges = nullptr;  ///< storage::weighted_edge of the same; null: not joined
    dtype type = dtype::int32;    ///< int32, int64, float32 or float64
    index_t source = 0;
    double first_delta = 0,
           delta = 0;  ///< width of the first bucket, and that which it grows to; infinite: one bucket
    void* distances = nullptr;        ///< [vertices] of path_length's key, result
    std::int32_t* parents = nullptr;  ///< [vertices], result; null: not wanted
    offset_t list_capacity = 0;       ///< entries of each list
    void* workspace = nullptr;
    int threads = 1;
    /// Called by the caller's thread now and then, a few times a second: how many rounds there were. What it throws ends the search.
    void (*on_rounds)(void* receiver, std::uint64_t rounds) = nullptr;
    void* receiver = nullptr;
};

/// What a search tells of itself.
struct shortest_report {
    std::uint64_t relaxations, rounds, buckets;
    std::uint64_t
        dropped;  ///< not 0: some path was left out because its length is infinite or beyond the type
};

/// The arguments on a GPU: pointers are the device's.
struct device_shortest_arguments {
    index_t vertices = 0;
    offset_t nnz = 0;
    const void* offsets = nullptr;
    bool wide_offsets = false;
    const void* edges = nullptr;  ///< storage::weighted_edge of the distances' type
    dtype type = dtype::int32;
    index_t source = 0;
    double first_delta = 0, delta = 0;
    void* distances = nullptr;
    std::int32_t* parents = nullptr;
    offset_t list_capacity = 0;
    void* workspace = nullptr;
    shortest_report* report = nullptr;
    int multiprocessors = 0;
};

/// What comes of a search's distances on a GPU.
struct device_shortest_counts {
    unsigned long long reached = 0, edges = 0;  ///< vertices, and entries in their rows
    unsigned long long orphans = 0;             ///< reached without a parent, over edges of length 0
};
struct device_shortest_result {
    index_t vertices = 0;
    const void* offsets = nullptr;
    bool wide_offsets = false;
    std::size_t key_bytes = 0;
    void* distances = nullptr;              ///< path_length's keys
    const std::int32_t* parents = nullptr;  ///< null: not wanted
    device_shortest_counts* counts = nullptr;
    bits::word* present = nullptr;
};

/// A width of bucket as a weight: integers from 1 on, and no wider than the type.
template <class Weight>
Weight delta_as(double delta) {
    constexpr Weight most = std::numeric_limits<Weight>::max();
    if (delta >= static_cast<double>(most)) return most;
    if constexpr (std::is_integral_v<Weight>) return delta < 1 ? Weight{1} : static_cast<Weight>(delta);
    return static_cast<Weight>(delta);
}

}  // namespace nz::kernels
