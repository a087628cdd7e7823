// Markov clustering: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>

namespace nz {

struct markov_options {
    double inflation = 2;       ///< above 1: how much strong flows gain; more: smaller clusters
    double threshold = 1e-3;    ///< below 1: smaller flows are dropped, but never the largest of a vertex
    double tolerance = 1e-6;    ///< unevenness of flows below which nothing moves any more
    int max_iterations = 100;   ///< expansions at most
    std::string_view kernel{};  ///< of the products, an id of mxm; empty: the plan's
};

struct markov_result {
    vector labels;           ///< int32, dense: the smallest vertex of the cluster
    offset_t count = 0;      ///< clusters
    int iterations = 0;      ///< expansions
    double unevenness = 0;   ///< max over vertices of (largest flow - sum of squares), after the last
    bool converged = false;  ///< that is at most the tolerance
    offset_t products = 0;   ///< of all expansions
    std::string plan;        ///< of the last one
};

}  // namespace nz
