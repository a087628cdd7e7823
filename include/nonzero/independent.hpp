// Independent sets and colourings: options and results.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace nz {

/// Who comes first where neighbours cannot both have their way. Degrees are compared by the position of their highest bit,
/// and vertices alike in that by a hash of the seed and the vertex.
enum class vertex_order : std::uint8_t { hashed, small_degrees_first, large_degrees_first };
/// "hashed", "small", "large".
std::string_view name_of(vertex_order order);
/// By that name. Throws domain_error for other words.
vertex_order parse_vertex_order(std::string_view name);

struct independent_set_options {
    vertex_order order = vertex_order::hashed;  ///< small_degrees_first: larger sets
    std::uint64_t seed = 1;
};

struct independent_set_result {
    vector members;      ///< bool, dense: whether a vertex is in the set
    offset_t count = 0;  ///< members
    int rounds = 0;      ///< until all vertices were decided
    std::string plan;    ///< of the last product
};

struct colouring_options {
    vertex_order order = vertex_order::large_degrees_first;  ///< fewer colours than hashed
    std::uint64_t seed = 1;
};

struct colouring_result {
    vector colours;      ///< int32, dense: from 0
    offset_t count = 0;  ///< colours
    int rounds = 0;      ///< summed over the colours
    std::string plan;    ///< of the last product
};

}  // namespace nz
