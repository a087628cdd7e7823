// Communities by label propagation: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>

namespace nz {

struct propagation_options {
    int max_iterations = 10;
};

struct propagation_result {
    vector labels;           ///< int32, dense: the number of a vertex
    offset_t count = 0;      ///< labels in use
    int iterations = 0;      ///< steps taken
    bool converged = false;  ///< the last step changed nothing
    std::string plan;        ///< of the last product
};

}  // namespace nz
