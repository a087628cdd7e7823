// traverse_many: check, collect facts, plan, run batch by batch.
#include "ops/traverse_many.hpp"

#include "core/checks.hpp"
#include "kernels/cpu/traverse_many/bit_parallel.hpp"
#include "kernels/kernel_ids.hpp"
#include "kernels/reference/traverse_many.hpp"
#include "ops/checks.hpp"
#include "ops/traverse.hpp"
#include "ops/traverse_many_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace nz::ops {
namespace {

// The form that has no kernel of its own: a traverse for each source.
constexpr std::string_view one_by_one_id = "one_by_one";

traverse_options single_options(const traverse_many_options& o) {
    traverse_options single;
    single.parents = false;
    single.hub_first = o.hub_first;
    single.max_depth = o.max_depth;
    return single;
}

void check(const matrix& a, std::span<const offset_t> sources, const traverse_many_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "bfs_many: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    for (const offset_t source : sources) check_source(source, a.rows());
    require<domain_error>(o.kernel.empty() || o.kernel == one_by_one_id || o.kernel == "reference" ||
                              kernels::known_on_cpu("traverse_many", o.kernel),
                          "'{}' is not a kernel of traverse_many; there are {}, {}, reference", o.kernel,
                          kernels::known_ids("traverse_many"), one_by_one_id);
    require<not_supported>(o.kernel != one_by_one_id || o.schedule.empty(),
                           "kernel {} takes no schedule: its searches choose directions of their own",
                           one_by_one_id);
}

// Sets the batch's number in levels on their way to the result and the caller.
struct batch_receiver {
    traverse_many_result& result;
    const traverse_many_options& options;
    offset_t batch = 0;

    static void tell(void* self, const traverse_many_level& level) {
        auto& [result, options, batch] = *static_cast<batch_receiver*>(self);
        traverse_many_level told = level;
        told.batch = batch;
        if (options.iterations) result.iterations.push_back(told);
        if (options.on_level) options.on_level(told);
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

// Sums of vertices, begun.
class host_sums {
public:
    host_sums(const context& ctx, index_t n)
        : reached_(dense(ctx, dtype::int64, n)),
          level_sums_(dense(ctx, dtype::int64, n)),
          depths_(dense(ctx, dtype::int32, n)) {
        const auto all = arrays();
        std::fill_n(all.reached, n, 0);
        std::fill_n(all.level_sums, n, 0);
        std::fill_n(all.depths, n, -1);
    }
    kernels::vertex_sums arrays() const {
        return {reached_.values.as<std::int64_t>(), level_sums_.values.as<std::int64_t>(),
                depths_.values.as<std::int32_t>()};
    }
    traverse_many_sums finish() && {
        return {storage::make_vector(std::move(reached_)), storage::make_vector(std::move(level_sums_)),
                storage::make_vector(std::move(depths_))};
    }

private:
    static storage::vector_body dense(const context& ctx, dtype type, index_t n) {
        return storage::make_vector_body(ctx, type, n, vector_form::dense, n);
    }
    storage::vector_body reached_, level_sums_, depths_;
};

std::optional<host_sums> make_sums(const context& ctx, const matrix& a, const traverse_many_options& o) {
    if (!o.of_vertices) return {};
    return host_sums(ctx, static_cast<index_t>(a.rows()));
}

// A line to the log, which may end the work there.
void tell_search(const context& ctx, std::string_view kernel, std::size_t sources,
                 const traverse_many_result& so_far) {
    ctx.log(
        fmt::format("traverse_many/{}: {} sources more, {} in all", kernel, sources, so_far.reached.size()));
}

traverse_many_result run_on_cpu(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                const traverse_many_options& o, const plan::traverse_many_plan& plan) {
    const storage::csr& rows = a.body().rows();
    const bool reference = plan.kernel == "reference";
    const storage::csr& columns = reference     ? rows
                                  : o.hub_first ? a.body().columns_hub_first()
                                                : a.body().columns();
    auto levels = make_levels(ctx, a, o.levels ? sources.size() : 0);
    auto sums = make_sums(ctx, a, o);
    const buffer workspace(ctx.memory(), reference ? kernels::reference::traverse_many_workspace(a.rows())
                                                   : plan.workspace_bytes);
    traverse_many_result result;
    batch_receiver receiver{result, o};
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
        if (sums) k.of_vertices = sums->arrays();
        receiver.batch = batch.number;
        k.on_level = &batch_receiver::tell;
        k.receiver = &receiver;
        append(result, reference ? kernels::reference::traverse_many(k) : kernels::cpu::bit_parallel(k),
               batch.sources.size());
        tell_search(ctx, plan.kernel, batch.sources.size(), result);
    });
    for (auto& body : levels) result.levels.push_back(storage::make_vector(std::move(body)));
    if (sums) result.of_vertices = std::move(*sums).finish();
    return result;
}

// One search's part of the result.
void add_single(const traverse_result& found, const storage::csr& rows, offset_t batch,
                const traverse_many_options& o, const kernels::vertex_sums& of_vertices,
                batch_receiver& receiver) {
    traverse_many_result& result = receiver.result;
    const std::size_t known = found.iterations.size();
    std::vector<traverse_many_level> levels(known);
    for (std::size_t l = 0; l < known; ++l)
        levels[l] = {batch, found.iterations[l].direction, 0, 0, 0, 1, found.iterations[l].reason};
    offset_t sum = 0;
    std::int32_t depth = 0;
    const auto level_of = found.levels.values<std::int32_t>();
    for (std::size_t v = 0; v < level_of.size(); ++v) {
        const std::int32_t level = level_of[v];
        if (level < 0) continue;
        sum += level;
        depth = std::max(depth, level);
        const auto i = static_cast<offset_t>(v);
        if (of_vertices.reached) of_vertices.add(i, 1, level);
        if (static_cast<std::size_t>(level) >= known)
            continue;  // reached by the last level, never a frontier
        traverse_many_level& of = levels[static_cast<std::size_t>(level)];
        ++of.frontier;
        ++of.pairs;
        of.edges += rows.offset(i + 1) - rows.offset(i);
    }
    result.reached.push_back(found.reached);
    result.level_sums.push_back(sum);
    result.depths.push_back(depth);
    result.edges += found.edges;
    if (o.levels) result.levels.push_back(found.levels);
    receiver.batch = batch;
    for (const auto& level : levels) batch_receiver::tell(&receiver, level);
}

traverse_many_result run_one_by_one(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                    const traverse_many_options& o) {
    traverse_many_result result;
    batch_receiver receiver{result, o};
    auto sums = make_sums(ctx, a, o);
    for (std::size_t s = 0; s < sources.size(); ++s) {
        add_single(traverse(ctx, a, sources[s], single_options(o)), a.body().rows(),
                   static_cast<offset_t>(s / plan::batch_sources), o,
                   sums ? sums->arrays() : kernels::vertex_sums{}, receiver);
        tell_search(ctx, one_by_one_id, 1, result);
    }
    if (sums) result.of_vertices = std::move(*sums).finish();
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

plan::traverse_many_plan plan_traverse_many(const context& ctx, const matrix& a,
                                            std::span<const offset_t> sources,
                                            const traverse_many_options& options) {
    plan::traverse_many_facts f;
    f.vertices = a.rows();
    f.nnz = a.nnz();
    f.sources = static_cast<offset_t>(sources.size());
    f.levels = options.levels;
    f.columns_ready = a.body().has_columns();
    f.on_device = ctx.gpu() && storage::steps_past_end_fit(a.nnz());
    f.scheduled = !options.schedule.empty();
    f.pinned = kernels::static_id("traverse_many", options.kernel);
    if (plan::asks_for_depth(f)) {
        // The one that is least likely to lie aside.
        const storage::csr& rows = a.body().rows();
        const offset_t from =
            std::ranges::max(sources, {}, [&](offset_t s) { return rows.offset(s + 1) - rows.offset(s); });
        f.depth = static_cast<offset_t>(traverse(ctx, a, from, single_options(options)).iterations.size());
    }
    return plan::traverse_many(f);
}

traverse_many_result traverse_many(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                                   const traverse_many_options& options) {
    check(a, sources, options);
    const auto plan = plan_traverse_many(ctx, a, sources, options);
    if (plan.kernel == one_by_one_id || sources.empty()) return run_one_by_one(ctx, a, sources, options);
    return plan.on_device ? traverse_many_on_device(ctx, a, sources, options, plan)
                          : run_on_cpu(ctx, a, sources, options, plan);
}

}  // namespace nz::ops
