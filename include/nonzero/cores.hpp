// Core numbers: the result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>

namespace nz {

struct cores_result {
    vector numbers;         ///< int64, dense: the core number of each vertex
    offset_t greatest = 0;  ///< the degeneracy of the graph
    int rounds = 0;         ///< sets of vertices that were peeled off
    std::string plan;       ///< of the last product
};

}  // namespace nz
