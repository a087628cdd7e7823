// Edges with their lengths beside their ends: a relaxation reads both at once, from one line.
#pragma once

#include "storage/edge_weights.hpp"

#include <cstdint>

namespace nz::storage {

/// An edge as it lies there; Weight has 4 or 8 bytes.
template <class Weight>
struct alignas(sizeof(Weight) * 2) weighted_edge {
    std::uint32_t target;
    Weight length;
};

struct joined_edges {
    const csr* source;  ///< whose rows they are
    dtype type;         ///< of the lengths
    buffer edges;       ///< weighted_edge[nnz]
};

/// Writes `count` edges from position `first` on to `to`, of weighted_edges of w.type.
void join_edges(const context& ctx, const edge_weights& w, offset_t first, offset_t count, void* to);
joined_edges join_edges(const context& ctx, const edge_weights& w);

}  // namespace nz::storage
