#include "ops/ranks_device.hpp"

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"

namespace nz::ops {
namespace {

using storage::ranked_columns;

ranked_columns build(const context& ctx, const storage::csr& a, const storage::device_csr& rows) {
    device::session& gpu = *ctx.gpu();
    const auto& table = kernels::on_cuda().ranks;
    const auto take = [&](offset_t count, std::size_t bytes) {
        return buffer(ctx.device_memory(), static_cast<std::size_t>(count) * bytes);
    };
    ranked_columns t{&a, ctx.device_memory(), 0, take(a.columns, sizeof(index_t)),
                     take(a.nnz, sizeof(index_t))};
    const buffer places = take(a.columns, sizeof(index_t)), held = take(1, sizeof(index_t)),
                 temporary = take(1, table.temporary_bytes(a.columns));
    kernels::device_rank_build b;
    b.indices = rows.indices.as<index_t>();
    b.nnz = a.nnz;
    b.columns = a.columns;
    b.places = places.as<index_t>();
    b.order = t.columns.as<index_t>();
    b.ranks = t.ranks.as<index_t>();
    b.held = held.as<index_t>();
    b.temporary = temporary.data();
    gpu.timed([&] { table.rank(b, gpu.stream()); });
    t.kernel_ms = gpu.milliseconds();
    gpu.download(&t.held, held.data(), sizeof t.held);  // waits: the temporary memory goes
    return t;
}

}  // namespace

std::shared_ptr<const ranked_columns> ranks_on_device(const context& ctx, const storage::matrix_body& body,
                                                      const storage::csr& of) {
    const auto rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
    return body.ranks_in(ctx.device_memory(), of, [&] { return build(ctx, of, *rows); });
}

}  // namespace nz::ops
