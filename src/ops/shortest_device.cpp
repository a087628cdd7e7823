// Shortest paths on a GPU: copies what is not there yet, launches, and reads the report back, the one place where the host
// waits. Distances and parents come to the host with it.
#include "ops/shortest_device.hpp"

#include "core/device.hpp"
#include "kernels/cpu/shortest/common_parents.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/shortest.hpp"
#include "ops/shortest_result.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

shortest_result shortest_on_device(const context& ctx, const matrix& a, offset_t source,
                                   const shortest_options& o, const plan::shortest_plan& plan) {
    device::session& session = *ctx.gpu();
    const device::arrivals arrived(ctx);
    const dtype type = distance_type(a.type(), o.type);
    const auto weights = a.body().weights_as(type);
    const auto edges = a.body().edges_on(ctx, type);
    const auto n = static_cast<index_t>(a.rows());
    const std::size_t distance_bytes = static_cast<std::size_t>(n) * size_of(type),
                      parent_bytes = o.parents ? static_cast<std::size_t>(n) * sizeof(std::int32_t) : 0;
    const buffer on_device(ctx.device_memory(), distance_bytes),
        parents_on_device(ctx.device_memory(), parent_bytes),
        workspace(ctx.device_memory(), plan.workspace_bytes),
        report_on_device(ctx.device_memory(), sizeof(kernels::shortest_report));

    kernels::device_shortest_arguments d;
    d.vertices = n;
    d.nnz = a.nnz();
    d.offsets = edges->offsets.data();
    d.wide_offsets = a.body().rows().offset_bytes == 8;
    d.edges = edges->edges.data();
    d.type = type;
    d.source = static_cast<index_t>(source);
    d.first_delta = plan.first_delta;
    d.delta = plan.delta;
    d.distances = on_device.data();
    d.parents = parents_on_device.as<std::int32_t>();
    d.list_capacity = plan.list_capacity;
    d.workspace = workspace.data();
    d.report = report_on_device.as<kernels::shortest_report>();
    d.multiprocessors = session.about().multiprocessors;
    session.timed([&] { kernels::on_cuda().delta_stepping(d, session.stream()); });

    auto distances = make_distances(ctx, type, n);
    auto parents = make_parents(ctx, o.parents ? n : 0);
    kernels::shortest_report report{};
    session.download(&report, report_on_device.data(), sizeof report);
    session.download(distances.values.data(), on_device.data(), distance_bytes);
    if (o.parents) session.download(parents.values.data(), parents_on_device.data(), parent_bytes);

    kernels::shortest_arguments k = host_arguments(ctx, a.body().rows(), *weights, source);
    k.distances = distances.values.data();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    if (o.parents) kernels::cpu::finish_shortest_parents(k);  // edges of length 0: few graphs have them
    shortest_result result = finish_shortest(ctx, k, report, std::move(distances), std::move(parents));
    result.backend = backend::cuda;
    result.kernel_ms = session.milliseconds();
    result.device_peak_bytes = ctx.device_peak_bytes();
    result.moved_bytes = arrived.bytes();
    return result;
}

}  // namespace nz::ops
