// shortest: check, collect facts, plan, run. Its results are written once, so there is no write-back stage.
#include "ops/shortest.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/shortest/delta_stepping.hpp"
#include "kernels/cuda_table.hpp"
#include "kernels/kernel_ids.hpp"
#include "kernels/reference/shortest.hpp"
#include "ops/checks.hpp"
#include "ops/shortest_device.hpp"
#include "ops/shortest_loop.hpp"
#include "ops/shortest_result.hpp"
#include "ops/switches.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nz {

shortest_switches parse_shortest_switches(std::string_view list) {
    static constexpr ops::named_switch<shortest_switches> known[] = {
        {"near_far", &shortest_switches::near_far},
        {"change_direction", &shortest_switches::change_direction},
        {"operand_reuse", &shortest_switches::operand_reuse},
    };
    return ops::parse_switch_list<shortest_switches>(list, known);
}

namespace ops {
namespace {

constexpr std::string_view relax_loop_id = "relax_loop";  // over mxv: on every backend, no kernel of its own
constexpr std::string_view reference_id = "reference";

void check(const matrix& a, offset_t source, const shortest_options& o) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "sssp: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    check_source(source, a.rows());
    require<domain_error>(o.kernel.empty() || o.kernel == relax_loop_id || o.kernel == reference_id ||
                              kernels::known_on_cpu("shortest", o.kernel),
                          "'{}' is not a kernel of shortest; there are {}, {}, {}", o.kernel,
                          kernels::known_ids("shortest"), relax_loop_id, reference_id);
    require<domain_error>(!(o.delta != o.delta), "delta is not a number");
}

plan::shortest_facts collect(const context& ctx, const matrix& a, const shortest_options& o) {
    plan::shortest_facts f;
    f.vertices = a.rows();
    f.nnz = a.nnz();
    f.type = distance_type(a.type(), o.type);
    const auto take = [&](const auto& lengths) {
        f.mean_weight = lengths->mean;
        f.one_length = lengths->one_for_all;
    };
    ctx.gpu() && o.kernel != relax_loop_id&& o.kernel != reference_id ? take(a.body().edges_on(ctx, f.type))
                                                                      : take(a.body().weights_as(f.type));
    f.limited = a.body().ctx.memory_limit() != 0;
    f.measured = a.body().measured();
    f.near_far = o.switches.near_far;
    f.delta = o.delta;
    f.pinned = o.kernel == relax_loop_id ? relax_loop_id : kernels::static_id("shortest", o.kernel);
    f.on_device = ctx.gpu() != nullptr;
    return f;
}

shortest_result run_on_host(const context& ctx, const matrix& a, offset_t source, const shortest_options& o,
                            const plan::shortest_plan& plan) {
    const dtype type = distance_type(a.type(), o.type);
    const auto weights = a.body().weights_as(type);
    const auto n = static_cast<index_t>(a.rows());
    auto distances = make_distances(ctx, type, n);
    auto parents = make_parents(ctx, o.parents ? n : 0);
    const buffer workspace(ctx.memory(), plan.workspace_bytes);
    kernels::shortest_arguments k = host_arguments(ctx, a.body().rows(), *weights, source);
    k.first_delta = plan.first_delta;
    k.delta = plan.delta;
    k.distances = distances.values.data();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    k.list_capacity = plan.list_capacity;
    k.workspace = workspace.data();
    const auto joined = plan.joined ? a.body().joined_as(type) : nullptr;
    if (joined) k.edges = joined->edges.data();
    kernels::shortest_report report{0, 0, 0, 1};
    if (plan.kernel == reference_id)
        kernels::reference::shortest(k);
    else {
        k.on_rounds = [](void* receiver, std::uint64_t rounds) {
            static_cast<const context*>(receiver)->log(
                fmt::format("shortest/delta_stepping: {} rounds so far", rounds));
        };
        k.receiver = const_cast<context*>(&ctx);
        report = kernels::cpu::delta_stepping(k);
    }
    a.body().note_paths(std::min(static_cast<offset_t>(report.relaxations), a.nnz()));
    return finish_shortest(ctx, k, report, std::move(distances), std::move(parents));
}

}  // namespace

dtype distance_type(dtype weights, std::optional<dtype> asked) {
    const bool wide = weights == dtype::int64 || weights == dtype::uint64 || weights == dtype::uint32;
    const dtype own = is_floating(weights) ? weights : wide ? dtype::int64 : dtype::int32;
    const dtype type = asked.value_or(own);
    require<domain_error>(
        type == own || type == dtype::float64 || (type == dtype::int64 && !is_floating(weights)),
        "distances over weights of type {} are {}; not {}", name_of(weights),
        own == dtype::float64   ? "float64"
        : own == dtype::float32 ? "float32 or float64"
        : own == dtype::int64   ? "int64 or float64"
                                : "int32, int64 or float64",
        name_of(type));
    return type;
}

plan::shortest_plan plan_shortest(const context& ctx, const matrix& a, const shortest_options& options) {
    return plan::shortest(collect(ctx, a, options));
}

shortest_result shortest(const context& ctx, const matrix& a, offset_t source,
                         const shortest_options& options) {
    check(a, source, options);
    const device::arrivals arrived(ctx);
    const plan::shortest_plan plan = plan_shortest(ctx, a, options);
    shortest_result result = plan.kernel == relax_loop_id ? shortest_loop(ctx, a, source, options)
                             : plan.on_device             ? shortest_on_device(ctx, a, source, options, plan)
                                                          : run_on_host(ctx, a, source, options, plan);
    result.kernel = plan.kernel;
    result.delta = plan.delta;
    if (plan.on_device)
        result.moved_bytes = arrived.bytes();  // edges come with the plan, which asks for their mean length
    return result;
}

}  // namespace ops
}  // namespace nz
