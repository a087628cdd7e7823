// Weakly connected components: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>

namespace nz {

struct components_options {
    std::string_view kernel{};  ///< "afforest", "label_loop", "reference"; empty: the plan chooses
};

struct components_result {
    vector labels;       ///< int32, dense: the smallest vertex of the component
    offset_t count = 0;  ///< components
    int rounds = 0;      ///< label_loop: products until no label changed
    std::string plan;    ///< kernel and reason, one line
};

}  // namespace nz
