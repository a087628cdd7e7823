// Triangles: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>

namespace nz {

struct triangles_options {
    bool per_vertex = false;    ///< triangles and clustering coefficient of each vertex too
    std::string_view kernel{};  ///< of the masked product, an id of mxm; empty: the plan's
};

struct triangles_result {
    offset_t total = 0;
    vector counts;        ///< int64, dense: triangles of each vertex; of size 0 unless asked for
    vector clustering;    ///< float64, dense: local clustering coefficients; likewise
    offset_t wedges = 0;  ///< products looked at: paths of two edges in the order of degrees
    std::string plan;     ///< of the masked product
};

}  // namespace nz
