// The traverse_many operation: what searches from many sources are written over.
#pragma once

#include "kernels/traverse_many_arguments.hpp"
#include "nonzero/traverse.hpp"
#include "plan/traverse_many.hpp"

#include <span>

namespace nz::ops {

/// traverse without parents from each of `sources`, 64 at a time.
traverse_many_result traverse_many(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                   const traverse_many_options& options);
/// The plan that traverse_many would run; on thin graphs it takes a search from the source with the longest row.
plan::traverse_many_plan plan_traverse_many(const context& ctx, const matrix& a,
                                            std::span<const offset_t> sources,
                                            const traverse_many_options& options);

/// One batch: its place among the batches, and its sources.
struct source_batch {
    offset_t number = 0;
    std::span<const index_t> sources;
};
/// Calls f(batch) for each 64 of `sources`, checked beforehand.
template <class F>
void for_batches(std::span<const offset_t> sources, F&& f) {
    index_t own[plan::batch_sources];
    for (std::size_t first = 0; first < sources.size(); first += plan::batch_sources) {
        const auto part =
            sources.subspan(first, std::min<std::size_t>(plan::batch_sources, sources.size() - first));
        for (std::size_t s = 0; s < part.size(); ++s) own[s] = static_cast<index_t>(part[s]);
        f(source_batch{static_cast<offset_t>(first / plan::batch_sources), {own, part.size()}});
    }
}

/// What the kernel is told alike on every backend; arrays and workspace are left to the backend.
kernels::traverse_many_arguments common_arguments(const matrix& a, const source_batch& batch,
                                                  const traverse_many_options& o,
                                                  const plan::traverse_many_plan& plan);
/// An entry for each source of the batch.
void append(traverse_many_result& result, const kernels::traverse_many_totals& totals, std::size_t sources);

}  // namespace nz::ops
