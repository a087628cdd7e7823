// The searches from many sources on a GPU: copies the graph where it is not there yet, then a launch and a read-back a
// batch, the one place where the host waits. Levels come to the host source by source.
#include "ops/traverse_many_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/traverse_many.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>

namespace nz::ops {
namespace {

using kernels::traverse_many_report;

constexpr std::size_t many_schedule_limit = 64;  // levels: bits of a word

/// Rows of levels begin at whole lines.
constexpr offset_t level_stride(offset_t vertices) { return (vertices + 31) / 32 * 32; }

// Sums of vertices, begun; the results stay on the GPU.
class device_sums {
public:
    device_sums(const context& ctx, index_t n)
        : ctx_(ctx),
          n_(n),
          reached_(dense(dtype::int64)),
          level_sums_(dense(dtype::int64)),
          depths_(dense(dtype::int32)) {
        device::session& session = *ctx.gpu();
        for (const auto* sums : {&reached_, &level_sums_})
            session.fill(sums->values.data(), 0, sums->values.bytes());
        session.fill(depths_.values.data(), 0xff, depths_.values.bytes());
    }
    kernels::vertex_sums arrays() const {
        return {reached_.values.as<std::int64_t>(), level_sums_.values.as<std::int64_t>(),
                depths_.values.as<std::int32_t>()};
    }
    traverse_many_sums finish() && {
        return {vector_of(dtype::int64, std::move(reached_)), vector_of(dtype::int64, std::move(level_sums_)),
                vector_of(dtype::int32, std::move(depths_))};
    }

private:
    storage::device_vector dense(dtype type) const {
        return storage::allocate_on_device(ctx_, type, n_, vector_form::dense, n_);
    }
    vector vector_of(dtype type, storage::device_vector content) const {
        return storage::make_device_vector(ctx_, type, n_, vector_form::dense, n_, std::move(content));
    }

    const context& ctx_;
    index_t n_;
    storage::device_vector reached_, level_sums_, depths_;
};

/// Everything on the device that batches share.
struct device_run {
    std::shared_ptr<const storage::device_csr> rows, columns;
    buffer levels, workspace, report;
    bool wide = false;
};

device_run prepare(const context& ctx, const matrix& a, std::size_t sources, const traverse_many_options& o,
                   const plan::traverse_many_plan& plan) {
    const auto& memory = ctx.device_memory();
    const std::size_t batch = std::min<std::size_t>(sources, plan::batch_sources);
    return {a.body().rows_on(ctx),
            o.hub_first ? a.body().columns_hub_first_on(ctx) : a.body().columns_on(ctx),
            buffer(memory,
                   o.levels ? batch * static_cast<std::size_t>(level_stride(a.rows())) * sizeof(std::int32_t)
                            : 0),
            buffer(memory, plan.workspace_bytes),
            buffer(memory, sizeof(traverse_many_report)),
            a.body().rows_anywhere().offset_bytes == 8};
}

kernels::device_traverse_many_arguments arguments(const context& ctx, const device_run& on,
                                                  kernels::traverse_many_arguments common,
                                                  const plan::traverse_many_plan& plan) {
    kernels::device_traverse_many_arguments d;
    d.common = common;
    d.common.out_offsets = {on.rows->offsets.data(), on.wide};
    d.common.out_neighbours = on.rows->indices.as<index_t>();
    d.common.in_offsets = {on.columns->offsets.data(), on.wide};
    d.common.in_neighbours = on.columns->indices.as<index_t>();
    d.common.workspace = on.workspace.data();
    d.in_empty = on.columns->empty_rows.as<std::uint32_t>();
    d.levels = on.levels.as<std::int32_t>();
    d.report = on.report.as<traverse_many_report>();
    d.queue_capacity = plan.queue_capacity;
    d.long_capacity = plan.long_capacity;
    d.level_stride = level_stride(common.vertices);
    d.multiprocessors = ctx.gpu()->about().multiprocessors;
    return d;
}

// The rule's words for what the device did: the same pure function on the same counts.
void tell_levels(const traverse_many_report& report, offset_t batch, int sources, const matrix& a,
                 const traverse_many_options& o, const plan::traverse_many_plan& plan, double ms,
                 traverse_many_result& result) {
    const auto kept =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(report.levels, traverse_many_report::capacity));
    const std::uint64_t first = kept ? report.records[0].ticks : 0;
    const double us_a_tick =
        report.end_ticks > first ? ms * 1e3 / static_cast<double>(report.end_ticks - first) : 0;
    for (std::uint32_t l = 0; l < kept; ++l) {
        const kernels::traverse_many_record& r = report.records[l];
        const auto edges = static_cast<offset_t>(r.edges);
        const auto choice =
            plan::choose_many_direction({a.rows(), edges, static_cast<offset_t>(r.open_edges)}, plan.costs);
        const direction went = r.pull ? direction::pull : direction::push;
        const std::string_view reason = l < o.schedule.size() ? "as scheduled" : choice.reason;
        const std::uint64_t end = l + 1 < kept ? report.records[l + 1].ticks : report.search_ticks;
        const traverse_many_level level{batch,      went,
                                        r.frontier, static_cast<offset_t>(r.pairs),
                                        edges,      r.pull ? std::popcount(r.slow) : sources,
                                        reason,     us_a_tick * static_cast<double>(end - r.ticks)};
        if (o.iterations) result.iterations.push_back(level);
        if (o.on_level) o.on_level(level);
    }
}

kernels::traverse_many_totals totals_of(const traverse_many_report& report) {
    kernels::traverse_many_totals t;
    for (int s = 0; s < plan::batch_sources; ++s) {
        t.reached[s] = static_cast<offset_t>(report.reached[s]);
        t.level_sums[s] = static_cast<offset_t>(report.level_sums[s]);
        t.depths[s] = static_cast<std::int32_t>(report.depths[s]);
    }
    t.edges = static_cast<offset_t>(report.edges);
    return t;
}

void download_report(device::session& session, const buffer& from, traverse_many_report& report) {
    constexpr std::size_t head = offsetof(traverse_many_report, records);
    session.download(&report, from.data(), head);
    const auto kept = std::min<std::uint64_t>(report.levels, traverse_many_report::capacity);
    session.download(report.records, from.as<std::byte>() + head,
                     kept * sizeof(kernels::traverse_many_record));
}

}  // namespace

traverse_many_result traverse_many_on_device(const context& ctx, const matrix& a,
                                             std::span<const offset_t> sources,
                                             const traverse_many_options& o,
                                             const plan::traverse_many_plan& plan) {
    require<not_supported>(o.schedule.size() <= many_schedule_limit,
                           "a schedule of {} levels: a GPU takes {} at most", o.schedule.size(),
                           many_schedule_limit);
    device::session& session = *ctx.gpu();
    const device::arrivals arrived(ctx);
    const auto n = static_cast<index_t>(a.rows());
    std::vector<storage::vector_body> levels;
    levels.reserve(o.levels ? sources.size() : 0);
    for (std::size_t s = 0; s < sources.size() && o.levels; ++s)
        levels.push_back(storage::make_vector_body(ctx, dtype::int32, n, vector_form::dense, n));
    const device_run on = prepare(ctx, a, sources.size(), o, plan);
    std::optional<device_sums> sums;
    if (o.of_vertices) sums.emplace(ctx, n);
    const auto report = std::make_unique_for_overwrite<traverse_many_report>();
    traverse_many_result result;
    result.kernel_ms = 0;
    for_batches(sources, [&](const source_batch& batch) {
        auto d = arguments(ctx, on, common_arguments(a, batch, o, plan), plan);
        if (sums) d.common.of_vertices = sums->arrays();
        session.timed([&] { kernels::on_cuda().bit_parallel(d, session.stream()); });
        download_report(session, on.report, *report);
        const double ms = session.milliseconds();
        append(result, totals_of(*report), batch.sources.size());
        for (std::size_t s = 0; s < batch.sources.size() && o.levels; ++s) {
            const auto at = static_cast<std::size_t>(batch.number) * plan::batch_sources + s;
            session.download(levels[at].values.data(),
                             on.levels.as<std::int32_t>() + static_cast<offset_t>(s) * level_stride(n),
                             levels[at].values.bytes());
        }
        tell_levels(*report, batch.number, static_cast<int>(batch.sources.size()), a, o, plan, ms, result);
        result.kernel_ms += ms;
        ctx.log(fmt::format("traverse_many/bit_parallel: {} sources, {} levels in {:.1f} us on the GPU",
                            batch.sources.size(), report->levels, ms * 1e3));
    });
    for (auto& body : levels) result.levels.push_back(storage::make_vector(std::move(body)));
    if (sums) result.of_vertices = std::move(*sums).finish();
    result.backend = backend::cuda;
    result.device_peak_bytes = ctx.device_peak_bytes();
    result.moved_bytes = arrived.bytes();
    return result;
}

}  // namespace nz::ops
