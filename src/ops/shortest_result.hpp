// From the words that kernels leave to the vectors that callers get, on every backend.
#pragma once

#include "kernels/shortest_arguments.hpp"
#include "storage/edge_weights.hpp"
#include "storage/vector_body.hpp"

namespace nz::ops {

/// The host's arrays of a search; distances, parents and workspace are left out.
kernels::shortest_arguments host_arguments(const context& ctx, const storage::csr& rows,
                                           const storage::edge_weights& weights, offset_t source);
/// Room for the distances of n vertices as path_length's keys, which entries_of makes a vector of.
storage::vector_body make_distances(const context& ctx, dtype type, index_t n);
/// Room for parents; none for n = 0.
storage::vector_body make_parents(const context& ctx, index_t n);
/// Counts the reached, removes the others' entries, and puts all together. With report.dropped, throws domain_error
/// where a vertex was not reached although an edge leads to it from one that was: its distance does not fit.
shortest_result finish_shortest(const context& ctx, const kernels::shortest_arguments& a,
                                const kernels::shortest_report& report, storage::vector_body distances,
                                storage::vector_body parents);

/// What a search counted of itself.
void take_report(const kernels::shortest_report& report, shortest_result& result);

}  // namespace nz::ops
