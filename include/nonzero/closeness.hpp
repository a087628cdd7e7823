// Closeness and eccentricity from some sources: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <cstdint>
#include <string>

namespace nz {

struct closeness_options {
    bool outward =
        false;  ///< distances from each vertex to the sources, in place of those from the sources to it
};

struct closeness_result {
    vector closeness;     ///< float64, dense: (r / s) (r / t), 0 where r is
    vector reached;       ///< int64, dense: r, sources other than the vertex with a path to it
    vector distances;     ///< int64, dense: t, the sum of their distances
    vector eccentricity;  ///< int32, dense: the greatest of them, 0 without any: never above the vertex's own
    offset_t sources = 0;       ///< different ones
    std::int32_t diameter = 0;  ///< the greatest distance met: a lower bound, exact from all vertices
    offset_t edges = 0;         ///< entries in the rows of reached vertices, summed over the sources
};

}  // namespace nz
