#include "ops/betweenness_queues.hpp"

#include "core/device.hpp"
#include "kernels/cpu/betweenness/queue.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/dense.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nz::ops {
namespace {

/// Visits of vertices and entries between two lines to the log, which may end the work: of a CPU's thread, and of a GPU, whose launches
/// are waited for there. Not measured, but that a search of 90,000 sources ends within 5 s (test_vertices.py).
constexpr offset_t visits_a_thread_between_lines = offset_t{1} << 27,
                   visits_between_lines = offset_t{1} << 30;

/// The sources in parts of whole rounds, each with so many visits or a round more; after each of several a line.
template <class Work>
void for_parts(const context& ctx, const matrix& a, std::span<const offset_t> sources, std::size_t round,
               offset_t visits, const Work& work) {
    const offset_t of_one = std::max<offset_t>(a.rows() + a.nnz(), 1);
    const auto rounds = static_cast<std::size_t>(visits / of_one) / round + 1;
    const std::size_t part = std::min(sources.size(), rounds * round);
    for (std::size_t at = 0; at < sources.size(); at += part) {
        const std::size_t end = std::min(sources.size(), at + part);
        work(at, end);
        if (part < sources.size())
            ctx.log(fmt::format("betweenness/queue: {} of {} sources", end, sources.size()));
    }
}

std::optional<counted_queues> queues_on_host(const context& ctx, const matrix& a,
                                             std::span<const offset_t> sources) {
    const storage::csr& rows = a.body().rows();
    const auto n = static_cast<std::size_t>(a.rows());
    // As many as have room, beside the result; the sums are the same whatever their number.
    const std::size_t left = memory_left(ctx), result_bytes = n * sizeof(double),
                      fit = (left - std::min(left, result_bytes)) /
                            std::max<std::size_t>(1, plan::betweenness_queue_parts::bytes(n));
    const int threads = static_cast<int>(
        std::max<std::size_t>(1, std::min({static_cast<std::size_t>(ctx.threads()), sources.size(), fit})));
    const buffer workspace(ctx.memory(),
                           static_cast<std::size_t>(threads) * plan::betweenness_queue_parts::bytes(n));
    counted_queues result{buffer(ctx.memory(), n * sizeof(double))};
    std::fill_n(result.centrality.as<double>(), n, 0.0);
    bool counted = true;
    const auto round = static_cast<std::size_t>(threads);
    for_parts(ctx, a, sources, round, threads * visits_a_thread_between_lines,
              [&](std::size_t begin, std::size_t end) {
                  if (!counted) return;
                  const auto levels = kernels::cpu::betweenness_queue(
                      {static_cast<index_t>(n),
                       {{rows.offsets.data(), rows.offset_bytes == 8}, rows.index_data()},
                       sources.subspan(begin, end - begin),
                       result.centrality.as<double>(),
                       workspace.data(),
                       threads});
                  counted = levels.has_value();
                  result.levels += levels.value_or(0);
              });
    if (!counted) return std::nullopt;
    return result;
}

// As many sources a launch as the plan has room for.
std::optional<counted_queues> queues_on_device(const context& ctx, const matrix& a,
                                               std::span<const offset_t> sources,
                                               const plan::betweenness_plan& plan) {
    using kernels::betweenness_queue_report;
    device::session& session = *ctx.gpu();
    const storage::matrix_body& body = a.body();
    const auto rows = body.rows_on(ctx), columns = body.known_symmetric() ? rows : body.columns_on(ctx);
    const bool wide = body.rows_anywhere().offset_bytes == 8;
    const auto n = static_cast<std::size_t>(a.rows());
    const std::vector<index_t> vertices(sources.begin(), sources.end());
    std::vector<betweenness_queue_report> reports(sources.size());
    const buffer workspace(ctx.device_memory(),
                           plan::device_betweenness_queue_parts::bytes(a.rows(), plan.batch)),
        sources_there(ctx.device_memory(), vertices.size() * sizeof(index_t)),
        reports_there(ctx.device_memory(), reports.size() * sizeof(betweenness_queue_report));
    counted_queues result{buffer(ctx.device_memory(), n * sizeof(double))};
    session.fill(result.centrality.data(), 0, result.centrality.bytes());
    session.upload(sources_there.data(), vertices.data(), sources_there.bytes());

    kernels::device_betweenness_queue_arguments k;
    k.vertices = static_cast<index_t>(n);
    k.out = {{rows->offsets.data(), wide}, rows->indices.as<index_t>()};
    k.in = {{columns->offsets.data(), wide}, columns->indices.as<index_t>()};
    k.centrality = result.centrality.as<double>();
    k.workspace = workspace.data();
    k.blocks = plan.blocks;
    const auto round = static_cast<std::size_t>(plan.batch);
    for_parts(ctx, a, sources, round, visits_between_lines, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += round) {
            k.sources = sources_there.as<index_t>() + at;
            k.reports = reports_there.as<betweenness_queue_report>() + at;
            k.count = static_cast<int>(std::min(end - at, round));
            kernels::on_cuda().betweenness_queue(k, session.stream());
        }
        if (end < sources.size()) session.wait();
    });
    session.download(reports.data(), reports_there.data(), reports_there.bytes());
    for (const betweenness_queue_report& told : reports) {
        if (told.lost) return std::nullopt;
        result.levels += told.levels;
    }
    return result;
}

}  // namespace

std::optional<counted_queues> betweenness_queues(const context& ctx, const matrix& a,
                                                 std::span<const offset_t> sources,
                                                 const plan::betweenness_plan& plan) {
    return plan.on_device ? queues_on_device(ctx, a, sources, plan) : queues_on_host(ctx, a, sources);
}

}  // namespace nz::ops
