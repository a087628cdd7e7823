// What the shortest-path kernels are called with, on every backend, and how they keep the length of a path.
#pragma once

#include "kernels/mxv_arguments.hpp"
#include "nonzero/shortest.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nz::kernels {

/// The length of a path as an unsigned word whose order is that of the lengths, as the bits of floats from 0 on are; all
/// ones where there is no path. Weight: int32, int64, float or double.
template <class Weight>
struct path_length {
    using key = std::conditional_t<sizeof(Weight) == 4, std::uint32_t, std::uint64_t>;
    static constexpr key unreached = ~key{0};

    static constexpr key of(Weight w) { return std::bit_cast<key>(w); }
    /// The length with one more edge; unreached where that is infinite or beyond Weight.
    static constexpr key add(key length, Weight w) {
        if constexpr (std::is_integral_v<Weight>) {
            const key sum = length + static_cast<key>(w);  // both below half of key's range
            return sum > static_cast<key>(std::numeric_limits<Weight>::max()) ? unreached : sum;
        } else {
            const Weight sum = std::bit_cast<Weight>(length) + w;
            return sum <= std::numeric_limits<Weight>::max() ? std::bit_cast<key>(sum) : unreached;
        }
    }
    /// The bound of the bucket that begins at `length`: above it even where delta is lost in rounding.
    static constexpr key bound(key length, Weight delta) {
        const key sum = add(length, delta);
        return sum > length ? sum : length + 1;
    }
};

struct shortest_arguments {
    index_t vertices = 0;
    offset_reader offsets;  ///< rows of A
    const index_t* neighbours = nullptr;
    const void* weights = nullptr;  ///< of the distances' type: one for each entry, or one for all
    bool one_weight = false;
    dtype type = dtype::int32;  ///< int32, int64, float32 or float64
    index_t source = 0;
    double delta = 0;  ///< width of a bucket; infinite: one bucket
    void* distances = nullptr;        ///< [vertices] of path_length's key, result
    std::int32_t* parents = nullptr;  ///< [vertices], result; null: not wanted
    offset_t list_capacity = 0;       ///< entries of each list
    void* workspace = nullptr;
    int threads = 1;
};

/// What a search tells of itself.
struct shortest_report {
    std::uint64_t relaxations, rounds, buckets;
    std::uint64_t dropped;  ///< not 0: some path was left out because its length is infinite or beyond the type
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
    double delta = 0;
    void* distances = nullptr;
    std::int32_t* parents = nullptr;
    offset_t list_capacity = 0;
    void* workspace = nullptr;
    shortest_report* report = nullptr;
    int multiprocessors = 0;
};

/// Calls f(std::type_identity<Weight>{}) with the C++ type of distances.
template <class F>
decltype(auto) with_weight(dtype type, F&& f) {
    switch (type) {
        case dtype::int32:
            return f(std::type_identity<std::int32_t>{});
        case dtype::int64:
            return f(std::type_identity<std::int64_t>{});
        case dtype::float32:
            return f(std::type_identity<float>{});
        default:
            return f(std::type_identity<double>{});
    }
}

/// A width of bucket as a weight: integers from 1 on, and no wider than the type.
template <class Weight>
Weight delta_as(double delta) {
    constexpr Weight most = std::numeric_limits<Weight>::max();
    if (delta >= static_cast<double>(most)) return most;
    if constexpr (std::is_integral_v<Weight>) return delta < 1 ? Weight{1} : static_cast<Weight>(delta);
    return static_cast<Weight>(delta);
}

}  // namespace nz::kernels
