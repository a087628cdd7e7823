// Shortest paths on a GPU: copies what is not there yet, launches, and reads back what the search and its results count, the one place where
// the host waits. Distances and parents stay there.
#include "ops/shortest_device.hpp"

#include "core/device.hpp"
#include "kernels/cpu/shortest/common_parents.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/shortest.hpp"
#include "ops/shortest_result.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {
namespace {

// What the host has to look at: parents over edges of length 0, of which few graphs have any, and whether a vertex was left out because its
// distance fits no word.
shortest_result finish_on_host(const context& ctx, const matrix& a, offset_t source, dtype type,
                               const kernels::shortest_report& report, const buffer& distances_there,
                               const buffer& parents_there) {
    const bool with_parents = parents_there.data() != nullptr;
    const auto n = static_cast<index_t>(a.rows());
    const auto weights = a.body().weights_as(type);
    auto distances = make_distances(ctx, type, n);
    auto parents = make_parents(ctx, with_parents ? n : 0);
    ctx.gpu()->download(distances.values.data(), distances_there.data(), distances_there.bytes());
    if (with_parents) ctx.gpu()->download(parents.values.data(), parents_there.data(), parents_there.bytes());
    kernels::shortest_arguments k = host_arguments(ctx, a.body().rows(), *weights, source);
    k.distances = distances.values.data();
    k.parents = with_parents ? parents.values.as<std::int32_t>() : nullptr;
    if (with_parents) kernels::cpu::finish_shortest_parents(k);
    return finish_shortest(ctx, k, report, std::move(distances), std::move(parents));
}

shortest_result finish_there(const context& ctx, dtype type, const kernels::device_shortest_result& r,
                             const kernels::device_shortest_counts& counts, buffer distances,
                             buffer parents) {
    const index_t n = r.vertices;
    const auto reached = static_cast<offset_t>(counts.reached);
    const bool all = reached == n, with_parents = parents.data() != nullptr;
    storage::device_vector of_distances, of_parents;
    of_distances.values = std::move(distances);
    of_parents.values = std::move(parents);
    if (!all) {
        of_distances.present = buffer(ctx.device_memory(), bits::words_for(n) * sizeof(bits::word));
        kernels::device_shortest_result keep = r;
        keep.present = of_distances.present.as<bits::word>();
        kernels::on_cuda().shortest_keep(keep, ctx.gpu()->stream());
    }
    shortest_result result{
        storage::make_device_vector(ctx, type, n, all ? vector_form::dense : vector_form::bitmap, reached,
                                    std::move(of_distances)),
        with_parents
            ? storage::make_device_vector(ctx, dtype::int32, n, vector_form::dense, n, std::move(of_parents))
            : vector(ctx, dtype::int32, 0)};
    result.reached = reached;
    result.edges = static_cast<offset_t>(counts.edges);
    return result;
}

}  // namespace

shortest_result shortest_on_device(const context& ctx, const matrix& a, offset_t source,
                                   const shortest_options& o, const plan::shortest_plan& plan) {
    device::session& session = *ctx.gpu();
    const dtype type = distance_type(a.type(), o.type);
    const auto edges = a.body().edges_on(ctx, type);
    const auto n = static_cast<index_t>(a.rows());
    struct told {
        kernels::shortest_report report;
        kernels::device_shortest_counts counts;
    };
    buffer distances(ctx.device_memory(), static_cast<std::size_t>(n) * size_of(type)),
        parents(ctx.device_memory(), o.parents ? static_cast<std::size_t>(n) * sizeof(std::int32_t) : 0);
    const buffer workspace(ctx.device_memory(), plan.workspace_bytes),
        told_there(ctx.device_memory(), sizeof(told));

    kernels::device_shortest_arguments d;
    d.vertices = n;
    d.nnz = a.nnz();
    d.offsets = edges->offsets.data();
    d.wide_offsets = a.body().rows_anywhere().offset_bytes == 8;
    d.edges = edges->edges.data();
    d.type = type;
    d.source = static_cast<index_t>(source);
    d.first_delta = plan.first_delta;
    d.delta = plan.delta;
    d.distances = distances.data();
    d.parents = parents.as<std::int32_t>();
    d.list_capacity = plan.list_capacity;
    d.workspace = workspace.data();
    d.report = &told_there.as<told>()->report;
    d.multiprocessors = session.about().multiprocessors;
    session.timed([&] { kernels::on_cuda().delta_stepping(d, session.stream()); });

    kernels::device_shortest_result r;
    r.vertices = n;
    r.offsets = d.offsets;
    r.wide_offsets = d.wide_offsets;
    r.key_bytes = size_of(type);
    r.distances = distances.data();
    r.parents = d.parents;
    r.counts = &told_there.as<told>()->counts;
    kernels::on_cuda().shortest_count(r, session.stream());
    told heard{};
    session.download(&heard, told_there.data(), sizeof heard);

    shortest_result result =
        heard.report.dropped || heard.counts.orphans
            ? finish_on_host(ctx, a, source, type, heard.report, distances, parents)
            : finish_there(ctx, type, r, heard.counts, std::move(distances), std::move(parents));
    take_report(heard.report, result);
    result.backend = backend::cuda;
    result.kernel_ms = session.milliseconds();
    result.device_peak_bytes = ctx.device_peak_bytes();
    return result;
}

}  // namespace nz::ops
