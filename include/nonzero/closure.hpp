// The transitive closure: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"

#include <string>
#include <string_view>

namespace nz {

struct closure_options {
    bool reflexive = false;     ///< every vertex reaches itself
    int max_steps = 64;         ///< squarings at most: paths of up to 2^max_steps edges
    std::string_view kernel{};  ///< of the products, an id of mxm; empty: the plan's
};

struct closure_result {
    matrix reach;           ///< bool: (i,j) where a path of one edge or more leads from i to j
    int steps = 0;          ///< squarings
    bool complete = false;  ///< the last one added nothing
    offset_t products = 0;  ///< of all squarings
    std::string plan;       ///< of the last one
};

}  // namespace nz
