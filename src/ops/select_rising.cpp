#include "ops/select_rising.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cpu/select/rising.hpp"
#include "kernels/cuda_table.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {
namespace {

matrix on_host(const context& ctx, const matrix& a) {
    const storage::csr& rows = a.body().rows();
    const array<index_t> lengths(ctx, static_cast<std::size_t>(rows.rows));
    kernels::rising_arguments k;
    k.rows = rows.rows;
    k.offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.columns = rows.index_data();
    k.threads = ctx.threads();
    k.lengths = lengths.data();
    kernels::cpu::select_rising_count(k);
    storage::csr u = storage::allocate_csr(ctx, rows.type, value_kind::pattern, rows.rows, rows.columns,
                                           std::span<const index_t>(lengths.data(), lengths.size()));
    k.out_offsets = {u.offsets.data(), u.offset_bytes == 8};
    k.out_columns = u.indices.as<index_t>();
    kernels::cpu::select_rising_fill(k);
    return storage::make_matrix(ctx, std::move(u));
}

matrix on_device(const context& ctx, const matrix& a) {
    const storage::csr& rows = a.body().rows_anywhere();
    const auto entries = a.body().entries_on(ctx);
    const auto& memory = ctx.device_memory();
    const auto& table = kernels::on_cuda().select;
    const auto n = static_cast<std::size_t>(rows.rows);
    kernels::rising_arguments k;
    k.rows = rows.rows;
    k.offsets = {entries->offsets.data(), rows.offset_bytes == 8};
    k.columns = entries->indices.as<index_t>();
    k.scan_bytes = table.rising_scan_bytes(k.rows);
    const buffer lengths(memory, n * sizeof(index_t)), starts(memory, (n + 1) * sizeof(offset_t)),
        temporary(memory, k.scan_bytes);
    k.lengths = lengths.as<index_t>();
    k.starts = starts.as<offset_t>();
    k.temporary = temporary.data();
    table.rising_count(k, ctx.gpu()->stream());
    storage::csr u;
    u.rows = rows.rows;
    u.columns = rows.columns;
    u.type = rows.type;
    u.kind = value_kind::pattern;
    ctx.gpu()->download(&u.nnz, k.starts + n, sizeof u.nnz);
    u.offset_bytes = storage::offset_bytes_for(u.nnz);
    const auto count = static_cast<std::size_t>(u.nnz);
    buffer offsets(memory, (n + 1) * static_cast<std::size_t>(u.offset_bytes)),
        indices(memory, count * sizeof(index_t) + storage::index_padding);
    ctx.gpu()->fill(indices.as<std::byte>() + count * sizeof(index_t), 0, storage::index_padding);
    k.out_offsets = {offsets.data(), u.offset_bytes == 8};
    k.out_columns = indices.as<index_t>();
    table.rising_fill(k, ctx.gpu()->stream());
    return storage::make_device_matrix(ctx, ctx, std::move(u), std::move(offsets), std::move(indices), {});
}

}  // namespace

matrix select_rising(const context& ctx, const matrix& a) {
    require<dimension_mismatch>(a.rows() == a.columns(), "select: {} x {} is not square", a.rows(),
                                a.columns());
    return ctx.gpu() && a.rows() > 0 ? on_device(ctx, a) : on_host(ctx, a);
}

}  // namespace nz::ops
