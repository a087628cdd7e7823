// The fused traversal on a GPU: copies what is not there yet, launches, and waits once for the end, when the report lies in
// pinned memory. Levels and parents stay on the GPU until somebody looks at them.
#include "ops/traverse_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/device_copies.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/traverse_arguments.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace nz::ops {
namespace {

using storage::device_csr;

constexpr std::size_t schedule_limit = 64;  // levels: bits of a word

struct device_graph {
    std::shared_ptr<const device_csr> rows, columns;     // columns null when pull never steps in
    std::shared_ptr<const storage::device_heads> heads;  // null where they do not pay
    buffer truth;  ///< of each entry, where structure_only is off: all are edges, whatever their values
    bool symmetric = false;
};

// Two in-neighbours of each vertex, found on the GPU when they are first asked for.
std::shared_ptr<const storage::device_heads> heads_on(const context& ctx, const storage::matrix_body& body,
                                                      const device_csr& columns, storage::row_heads kind) {
    const storage::csr& of = *columns.source;
    const auto& table = kernels::on_cuda();
    const auto find = kind == storage::row_heads::first ? table.first_neighbours : table.strongest_neighbours;
    return body.heads_on(ctx, of, kind, [&](buffer& heads) {
        find({columns.offsets.data(), of.offset_bytes == 8}, columns.indices.as<index_t>(), of.rows,
             heads.as<std::uint32_t>(), ctx.gpu()->stream());
    });
}

device_graph graph_on(const context& ctx, const matrix& a, const traverse_options& o,
                      const plan::traverse_plan& plan) {
    const storage::matrix_body& body = a.body();
    device_graph g;
    g.rows = body.rows_on(ctx);
    if (o.switches.change_direction || !o.schedule.empty()) {
        g.columns = o.hub_first ? body.columns_hub_first_on(ctx) : body.columns_on(ctx);
        g.symmetric = &body.columns_anywhere(ctx) == &body.rows_anywhere();
        if (plan.heads != storage::row_heads::none) g.heads = heads_on(ctx, body, *g.columns, plan.heads);
    }
    if (!o.switches.structure_only) {
        g.truth = {ctx.device_memory(), static_cast<std::size_t>(a.nnz())};
        ctx.gpu()->fill(g.truth.data(), 1, g.truth.bytes());
    }
    return g;
}

// The rule's words for what the device did: the same pure function on the same counts.
void tell_levels(std::span<const kernels::traverse_record> records, std::uint64_t end_ticks, const matrix& a,
                 const traverse_options& o, const plan::traverse_plan& plan, traverse_result& result) {
    const std::size_t kept = records.size();
    const std::uint64_t first = kept ? records[0].ticks : 0;
    const double us_a_tick =
        end_ticks > first ? result.kernel_ms * 1e3 / static_cast<double>(end_ticks - first) : 0;
    result.iterations.reserve(kept);
    plan::direction_state state;
    offset_t unvisited = a.rows() - 1;
    for (std::size_t l = 0; l < kept; ++l) {
        const kernels::traverse_record& r = records[l];
        const auto choice =
            plan::choose_direction(state, {r.frontier, a.rows(), static_cast<offset_t>(r.edges), a.nnz()},
                                   plan.thresholds, o.switches.change_direction);
        state = choice.next;
        state.current = r.pull ? direction::pull : direction::push;
        const std::uint64_t end = l + 1 < kept ? records[l + 1].ticks : end_ticks;
        const std::string_view reason = l < o.schedule.size()                  ? "as scheduled"
                                        : choice.next.current == state.current ? choice.reason
                                                                               : "the queue had no room";
        result.iterations.push_back({state.current, "push_pull_fused", r.frontier, unvisited, choice.ratio,
                                     reason, us_a_tick * static_cast<double>(end - r.ticks)});
        if (l + 1 < kept) unvisited = std::max<offset_t>(0, unvisited - records[l + 1].frontier);
        if (o.on_level) o.on_level(result.iterations.back());
    }
}

kernels::device_traverse_arguments search_arguments(const matrix& a, offset_t source,
                                                    const traverse_options& o,
                                                    const plan::traverse_plan& plan, const device_graph& g) {
    kernels::device_traverse_arguments d;
    d.common = common_arguments(a, source, o, plan);
    const bool wide = a.body().rows_anywhere().offset_bytes == 8;
    d.common.out_offsets = {g.rows->offsets.data(), wide};
    d.common.out_neighbours = g.rows->indices.as<index_t>();
    d.common.out_values = g.truth.as<bool>();
    if (g.columns) {
        d.common.in_offsets = {g.columns->offsets.data(), wide};
        d.common.in_neighbours = g.columns->indices.as<index_t>();
        d.common.in_values = g.truth.as<bool>();
        d.in_empty = g.columns->empty_rows.as<std::uint32_t>();
    }
    if (g.heads) d.heads = g.heads->heads.as<std::uint32_t>();
    d.nnz = a.nnz();
    d.queue_capacity = plan.queue_capacity;
    d.blocks = plan.blocks;
    d.cluster_blocks = plan.cluster_blocks;
    d.symmetric = g.symmetric;
    return d;
}

}  // namespace

traverse_result traverse_on_device(const context& ctx, const matrix& a, offset_t source,
                                   const traverse_options& o, const plan::traverse_plan& plan) {
    require<not_supported>(o.schedule.size() <= schedule_limit,
                           "a schedule of {} levels: a GPU takes {} at most", o.schedule.size(),
                           schedule_limit);
    device::session& session = *ctx.gpu();
    const device::arrivals arrived(ctx);
    const device_graph g = graph_on(ctx, a, o, plan);
    const auto n = static_cast<index_t>(a.rows());
    storage::device_vector levels = storage::allocate_on_device(ctx, dtype::int32, n, vector_form::dense, n);
    storage::device_vector parents =
        storage::allocate_on_device(ctx, dtype::int32, o.parents ? n : 0, vector_form::dense, 0);
    // One block: what the kernel works in, then the report.
    const buffer workspace(ctx.device_memory(), plan.workspace_bytes + sizeof(kernels::traverse_report)),
        told(device::pinned_memory(), sizeof(kernels::traverse_told));
    auto* const report =
        reinterpret_cast<kernels::traverse_report*>(workspace.as<std::byte>() + plan.workspace_bytes);

    kernels::device_traverse_arguments d = search_arguments(a, source, o, plan, g);
    d.common.levels = levels.values.as<std::int32_t>();
    d.common.parents = parents.values.as<std::int32_t>();
    d.common.workspace = workspace.data();
    d.report = report;
    d.told = told.as<kernels::traverse_told>();
    d.multiprocessors = session.about().multiprocessors;
    session.timed([&] { kernels::on_cuda().push_pull_fused(d, session.stream()); });
    const double ms = session.milliseconds();  // the one place where the host waits

    const kernels::traverse_told& heard = *told.as<const kernels::traverse_told>();
    const auto kept = std::min<std::uint64_t>(heard.levels, kernels::traverse_report::capacity);
    std::span<const kernels::traverse_record> records(
        heard.records, std::min<std::uint64_t>(kept, kernels::traverse_told::capacity));
    std::vector<kernels::traverse_record> all;
    if (kept > records.size()) {  // a deep search's levels are on the device
        all.resize(kept);
        session.download(all.data(), report->records, kept * sizeof(kernels::traverse_record));
        records = all;
    }
    const auto on_device = [&](storage::device_vector content, index_t size) {
        return storage::make_device_vector(ctx, dtype::int32, size, vector_form::dense, size,
                                           std::move(content));
    };
    traverse_result result{on_device(std::move(levels), n),
                           on_device(std::move(parents), o.parents ? n : 0),
                           static_cast<offset_t>(heard.reached),
                           static_cast<offset_t>(heard.edges),
                           {},
                           backend::cuda,
                           ms,
                           ctx.device_peak_bytes(),
                           arrived.bytes()};
    tell_levels(records, heard.end_ticks, a, o, plan, result);
    if (heard.levels > 0)
        ctx.log(fmt::format(
            "traverse/push_pull_fused: {} levels in {:.1f} us on the GPU, clock {:.0f} MHz, {} bytes came to it",
            heard.levels, ms * 1e3, static_cast<double>(heard.end_ticks - records[0].ticks) / (ms * 1e3),
            result.moved_bytes));
    return result;
}

}  // namespace nz::ops
