// The edges of a graph in a GPU's memory, each with its length beside its end.
#pragma once

#include "storage/joined_edges.hpp"

namespace nz::storage {

struct device_edges {
    const csr* source;  ///< whose rows they are
    dtype type;         ///< of the lengths
    std::shared_ptr<memory_resource> memory;
    buffer offsets, edges;  ///< offsets as in csr, weighted_edge[nnz]
};

/// Copies the rows that `weights` belong to. Ordered on the context's stream.
device_edges copy_edges_to_device(const context& gpu, const edge_weights& weights);

}  // namespace nz::storage
