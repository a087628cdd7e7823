// traverse_many: check, collect facts, plan, run batch by batch.
#include "ops/traverse_many.hpp"

#include "core/checks.hpp"
#include "kernels/cpu/traverse_many/bit_parallel.hpp"
#include "kernels/reference/traverse_many.hpp"
#include "ops/checks.hpp"
#include "ops/traverse_many_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <array>

namespace nz::ops {
namespace {

void check(const matrix& a, std::span<const offset_t> sources, const traverse_many_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "traverse_many: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    for (const offset_t source : sources)
        require<index_out_of_bounds>(source >= 0 && source < a.rows(),
                                     "source {} is not a vertex: the graph has vertices 0 to {}", source,
                                     a.rows() - 1);
    check_kernel("traverse_many", o.kernel);
}

// Sets the batch's number in levels on their way to the result and the caller.
struct level_receiver {
    traverse_many_result& result;
    const traverse_many_options& options;
    offset_t batch = 0;

    static void tell(void* self, const traverse_many_level& level) {
        auto& [result, options, batch] = *static_cast<level_receiver*>(self);
        result.iterations.push_back(level);
        result.iterations.back().batch = batch;
        if (options.on_level) options.on_level(result.iterations.back());
    }
};

// Uninitialised levels for all sources: what does not fit the memory limit is refused before any work.
std::vector<storage::vector_body> make_levels(const context& ctx, const matrix& a, std::size_t sources) {
    std::vector<storage::vector_body> levels;
    levels.reserve(sources);
    for (std::size_t s = 0; s < sources; ++s)
        levels.push_back(storage::make_vector_body(ctx, dtype::int32, static_cast<index_t>(a.rows()),
                                                   vector_form::dense, a.rows()));
    return levels;
}

traverse_many_result run_on_cpu(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                const traverse_many_options& o, const plan::traverse_many_plan& plan) {
    const storage::csr& rows = a.body().rows();
    const bool reference = plan.kernel == "reference";
    const storage::csr& columns = reference     ? rows
                                  : o.hub_first ? a.body().columns_hub_first()
                                                : a.body().columns();
    auto levels = make_levels(ctx, a, o.levels ? sources.size() : 0);
    const buffer workspace(ctx.memory(), reference ? kernels::reference::traverse_many_workspace(a.rows())
                                                   : plan.workspace_bytes);
    traverse_many_result result;
    level_receiver receiver{result, o};
    for_batches(sources, [&](const source_batch& batch) {
        kernels::traverse_many_arguments k = common_arguments(a, batch, o, plan);
        k.out_offsets = {rows.offsets.data(), rows.offset_bytes == 8};
        k.out_neighbours = rows.index_data();
        k.in_offsets = {columns.offsets.data(), columns.offset_bytes == 8};
        k.in_neighbours = columns.index_data();
        k.workspace = workspace.data();
        k.threads = ctx.threads();
        std::array<std::int32_t*, plan::batch_sources> of_batch{};
        for (std::size_t s = 0; s < batch.sources.size() && o.levels; ++s)
            of_batch[s] = levels[static_cast<std::size_t>(batch.number) * plan::batch_sources + s]
                              .values.as<std::int32_t>();
        if (o.levels) k.levels = of_batch.data();
        receiver.batch = batch.number;
        k.on_level = &level_receiver::tell;
        k.receiver = &receiver;
        append(result, reference ? kernels::reference::traverse_many(k) : kernels::cpu::bit_parallel(k),
               batch.sources.size());
    });
    for (auto& body : levels) result.levels.push_back(storage::make_vector(std::move(body)));
    return result;
}

}  // namespace

kernels::traverse_many_arguments common_arguments(const matrix& a, const source_batch& batch,
                                                  const traverse_many_options& o,
                                                  const plan::traverse_many_plan& plan) {
    kernels::traverse_many_arguments k;
    k.vertices = static_cast<index_t>(a.rows());
    k.nnz = a.nnz();
    k.sources = batch.sources;
    k.max_depth = o.max_depth;
    k.costs = plan.costs;
    k.schedule = o.schedule;
    return k;
}

void append(traverse_many_result& result, const kernels::traverse_many_totals& totals, std::size_t sources) {
    result.reached.insert(result.reached.end(), totals.reached, totals.reached + sources);
    result.level_sums.insert(result.level_sums.end(), totals.level_sums, totals.level_sums + sources);
    result.depths.insert(result.depths.end(), totals.depths, totals.depths + sources);
    result.edges += totals.edges;
}

plan::traverse_many_plan plan_traverse_many(const context& ctx, const matrix& a, offset_t sources,
                                            const traverse_many_options& options) {
    plan::traverse_many_facts f;
    f.vertices = a.rows();
    f.nnz = a.nnz();
    f.sources = sources;
    f.levels = options.levels;
    f.columns_ready = a.body().has_columns();
    f.on_device = ctx.gpu() != nullptr;
    f.pinned = options.kernel;
    return plan::traverse_many(f);
}

traverse_many_result traverse_many(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                   const traverse_many_options& options) {
    check(a, sources, options);
    const auto plan = plan_traverse_many(ctx, a, static_cast<offset_t>(sources.size()), options);
    return plan.on_device && !sources.empty() ? traverse_many_on_device(ctx, a, sources, options, plan)
                                              : run_on_cpu(ctx, a, sources, options, plan);
}

}  // namespace nz::ops
