// The step of PageRank after its product, as one operation.
#pragma once

#include "nonzero/vector.hpp"

namespace nz::ops {

/// r' = t + (1 - sum t) p, scaled' = scale r'; returns sum |r' - r|. Dense vectors of one size and type, float32 or float64.
struct pagerank_vectors {
    const vector& carried;  ///< t
    const vector* start;    ///< p, the sum of it 1; null: 1 / n everywhere
    const vector& scale;
    vector& ranks;
    vector& scaled;
    vector* moved;  ///< |r' - r|, where not null
};
double pagerank_step(const context& ctx, const pagerank_vectors& v);

}  // namespace nz::ops
