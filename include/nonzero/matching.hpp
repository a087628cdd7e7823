// Matchings of bipartite graphs: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <cstdint>
#include <string>

namespace nz {

struct matching_options {
    std::uint64_t seed = 1;  ///< of the hashes by which edges are preferred
};

struct matching_result {
    vector of_rows;      ///< int32, dense: the column matched with each row, -1 without one
    vector of_columns;   ///< int32, dense: the row matched with each column, -1 without one
    offset_t count = 0;  ///< edges of the matching
    int rounds = 0;      ///< of proposals
    std::string plan;    ///< of the last product
};

}  // namespace nz
