// Strongly connected components: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>

namespace nz {

struct strong_components_options {
    bool trim = true;  ///< take away vertices without an edge in, or out, as long as many go at once
    int searches = 8;  ///< pairs of searches from a vertex of high degree, at most; 0: none
};

struct strong_components_result {
    vector labels;          ///< int32, dense: the smallest vertex of the component
    offset_t count = 0;     ///< components
    offset_t trimmed = 0;   ///< vertices settled by trimming
    offset_t searched = 0;  ///< by searches
    offset_t walked = 0;    ///< by the depth-first search over what was left
    std::string plan;       ///< of the last product of a search, or how it went without
};

}  // namespace nz
