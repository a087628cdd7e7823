// The edges of a graph in a GPU's memory, each with its length beside its end.
#pragma once

#include "storage/device_convert.hpp"
#include "storage/joined_edges.hpp"

#include <optional>

namespace nz::storage {

struct device_edges {
    const csr* source;  ///< whose rows they are
    dtype type;         ///< of the lengths
    std::shared_ptr<memory_resource> memory;
    buffer offsets, edges;  ///< offsets as in csr, weighted_edge[nnz]
    // As edge_weights has them.
    bool one_for_all = false;
    double mean = 0;
    std::shared_ptr<const void> owner{};  ///< of the offsets, where they are borrowed
};

/// Copies the rows that `weights` belong to. Ordered on the context's stream.
device_edges copy_edges_to_device(const context& gpu, const edge_weights& weights);

/// What as_edge_weights looks for in so many values there, of which no length is a length of type `to`.
struct length_survey {
    bool all_lengths = true;
    double mean = 0;
};
length_survey survey_lengths_on_device(const context& gpu, const void* values, dtype from, dtype to,
                                       offset_t count);
/// weighted_edge[nnz] of ends and lengths there, of 4 or 8 bytes, one for each or one for all.
buffer joined_on_device(const context& gpu, const index_t* ends, const void* lengths,
                        std::size_t length_bytes, bool one_for_all, offset_t nnz);
/// The same of rows and values that lie there; nothing where one is no length.
std::optional<device_edges> edges_of_rows_on_device(const context& gpu, const csr& shape,
                                                    std::shared_ptr<const device_csr> entries,
                                                    const void* values, dtype of);

}  // namespace nz::storage
