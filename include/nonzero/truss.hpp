// The k-truss: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>

namespace nz {

struct truss_options {
    offset_t k = 0;             ///< 2 or more; 0: the largest for which an edge is left
    std::string_view kernel{};  ///< of the masked products, an id of mxm; empty: the plan's
};

struct truss_result {
    matrix edges;           ///< int64, both directions of the edges left: the triangles that each is in there
    vector degrees;         ///< int64, dense: edges left at each vertex
    offset_t k = 0;         ///< as asked, or found
    offset_t count = 0;     ///< edges left, each once
    offset_t vertices = 0;  ///< with an edge left
    int rounds = 0;         ///< times that triangles were counted
    std::string plan;       ///< of the last masked product
};

}  // namespace nz
