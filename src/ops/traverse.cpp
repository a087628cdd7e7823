// traverse: check, collect facts, plan, run. Its results are written once, so there is no write-back stage.
#include "ops/traverse.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/traverse/push_pull_fused.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/kernel_ids.hpp"
#include "ops/checks.hpp"
#include "ops/switches.hpp"
#include "ops/traverse_arguments.hpp"
#include "ops/traverse_device.hpp"
#include "ops/traverse_loop.hpp"
#include "ops/traverse_tile.hpp"
#include "ops/traverse_tile_device.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

namespace nz {

traverse_switches parse_switches(std::string_view list) {
    static constexpr ops::named_switch<traverse_switches> known[] = {
        {"change_direction", &traverse_switches::change_direction},
        {"masking", &traverse_switches::masking},
        {"early_exit", &traverse_switches::early_exit},
        {"operand_reuse", &traverse_switches::operand_reuse},
        {"structure_only", &traverse_switches::structure_only},
        {"duplicates", &traverse_switches::duplicates, false},
    };
    return ops::parse_switch_list<traverse_switches>(list, known);
}

namespace ops {
namespace {

constexpr std::string_view loop_id =
    "push_pull_loop";  // a loop over mxv: on every backend, no kernel of its own

void check(const matrix& a, offset_t source, const traverse_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "bfs: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    check_source(source, a.rows());
    require<domain_error>(
        o.kernel.empty() || o.kernel == loop_id || kernels::known_on_cpu("traverse", o.kernel),
        "'{}' is not a kernel of traverse; there are {}, {}", o.kernel, kernels::known_ids("traverse"),
        loop_id);
    require<not_supported>(
        !o.hub_first || o.switches.structure_only,
        "hub-first adjacency holds no values: leave --hub-first out, or switch structure_only on");
    require<not_supported>(
        !o.hub_first || o.kernel != loop_id,
        "kernel {} reads adjacency in its own order: leave --hub-first out, or use push_pull_fused", loop_id);
    require<not_supported>(
        !o.switches.duplicates || o.kernel != loop_id,
        "kernel {} has sets for frontiers, which hold no duplicates: leave that switch off, or use push_pull_fused",
        loop_id);
    require<domain_error>(o.tiles.size == 0 || o.tiles.size == 32 || o.tiles.size == 64,
                          "tiles of {0} x {0}: bit tiles have 32 or 64", o.tiles.size);
    if (o.kernel == tile_id) check_tile_options(o);
}

plan::traverse_facts collect(const context& ctx, const matrix& a, const traverse_options& o) {
    plan::traverse_facts f;
    f.vertices = a.rows();
    f.columns_ready = a.body().has_columns();
    f.change_direction = o.switches.change_direction || !o.schedule.empty();
    f.alpha = o.alpha;
    f.beta = o.beta;
    f.pinned = kernels::static_id("traverse", o.kernel);
    f.on_device = ctx.gpu() && storage::steps_past_end_fit(a.nnz());
    f.nnz = a.nnz();
    f.parents = o.parents;
    f.scheduled = !o.schedule.empty();
    f.threads = ctx.threads();
    f.longest_row = a.body().longest_row();
    const traverse_switches& s = o.switches;
    f.plain = s.masking && s.early_exit && s.operand_reuse && s.structure_only;
    f.any_parent = !asks_smallest_parent(o);
    f.tile_size = o.tiles.size;
    f.tile_least = o.tiles.least_entries;
    // Tiles are foreseen by a sample on the host: where a GPU alone has the matrix, that would bring it home.
    // And they take memory that nobody asked for.
    f.tiles_serve = (!a.on_device() || o.kernel == tile_id) && f.plain && o.switches.change_direction &&
                    !s.duplicates && !f.scheduled && !o.hub_first && o.alpha < 0 && o.beta < 0 &&
                    ctx.memory_limit() == 0 && ctx.device_memory_limit() == 0;
    f.searched = a.body().searched();
    return f;
}

traverse_result run_fused(const context& ctx, const matrix& a, offset_t source, const traverse_options& o,
                          const plan::traverse_plan& plan) {
    const storage::csr& rows = a.body().rows();
    const bool pulls = o.switches.change_direction || !o.schedule.empty();
    const storage::csr* columns =
        pulls ? (o.hub_first ? &a.body().columns_hub_first() : &a.body().columns()) : nullptr;
    const auto n = static_cast<index_t>(a.rows());
    auto levels = storage::make_vector_body(ctx, dtype::int32, n, vector_form::dense, n);
    auto parents = storage::make_vector_body(ctx, dtype::int32, o.parents ? n : 0, vector_form::dense,
                                             o.parents ? n : 0);
    const buffer workspace(ctx.memory(), plan.workspace_bytes);
    // What a search with structure_only off reads of each entry: every stored one is an edge, whatever its value.
    const buffer truth(ctx.memory(), o.switches.structure_only ? 0 : static_cast<std::size_t>(a.nnz()));
    std::fill_n(truth.as<bool>(), truth.bytes(), true);

    kernels::traverse_arguments k = common_arguments(a, source, o, plan);
    k.out_offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.out_neighbours = rows.index_data();
    if (columns) {
        k.in_offsets = {columns->offsets.data(), columns->offset_bytes == 8};
        k.in_neighbours = columns->index_data();
    }
    if (!o.switches.structure_only) k.out_values = k.in_values = truth.as<bool>();
    k.levels = levels.values.as<std::int32_t>();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    k.workspace = workspace.data();
    k.threads = ctx.threads();

    traverse_result result{
        storage::make_vector(std::move(levels)), storage::make_vector(std::move(parents)), 0, 0, {}};
    level_receiver receiver{result, o};
    k.on_level = &level_receiver::hear;
    k.receiver = &receiver;
    const auto totals = kernels::cpu::push_pull_fused(k);
    result.reached = totals.reached;
    result.edges = totals.edges;
    return result;
}

}  // namespace

plan::traverse_plan plan_traverse(const context& ctx, const matrix& a, const traverse_options& options) {
    plan::traverse_facts facts = collect(ctx, a, options);
    plan::traverse_plan plan = plan::traverse(facts);
    if (!plan.asks_tiles) return plan;
    sample_tiles(a, facts);
    plan = plan::traverse(facts);
    if (plan.kernel == tile_id && plan.tile_size == 0) refuse_tiles(facts);
    return plan;
}

traverse_result traverse(const context& ctx, const matrix& a, offset_t source,
                         const traverse_options& options) {
    check(a, source, options);
    const plan::traverse_plan plan = plan_traverse(ctx, a, options);
    if (plan.kernel == loop_id) return traverse_loop(ctx, a, source, options, plan);
    if (plan.on_device)
        return plan.kernel == tile_id ? traverse_tile_on_device(ctx, a, source, options, plan)
                                      : traverse_on_device(ctx, a, source, options, plan);
    traverse_result result = plan.kernel == tile_id ? traverse_tile(ctx, a, source, options, plan)
                                                    : run_fused(ctx, a, source, options, plan);
    a.body().note_search(result.edges);
    return result;
}

}  // namespace ops
}  // namespace nz
