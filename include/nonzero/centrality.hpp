// Betweenness centrality: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>

namespace nz {

struct centrality_options {
    std::string_view kernel{};  ///< "batched", "queue", "sweep_loop"; empty: the plan chooses
    bool normalise =
        false;  ///< divide by (n - 1) (n - 2), the pairs that exclude a vertex; 1 below 3 vertices
};

struct centrality_result {
    vector centrality;        ///< float64, dense
    offset_t iterations = 0;  ///< levels, summed over the batches
    std::string plan;         ///< kernel and reason, one line
};

}  // namespace nz
