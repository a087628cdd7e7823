// From sampled edges to the CSR of a graph.
#pragma once

#include "core/buffer.hpp"
#include "storage/csr.hpp"

namespace nz::io {

struct edge {
    index_t from, to;
};

/// The pattern of all edges that are not loops, each once; with `both_directions` that of every edge reversed
/// too. Memory beside the edges and the result: 8 bytes an entry before repeats are dropped.
storage::csr adjacency(const context& ctx, index_t vertices, array<edge> edges, bool both_directions);

}  // namespace nz::io
