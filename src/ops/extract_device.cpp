#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/extract_rows.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/select_device.hpp"

#include <limits>

namespace nz::ops {
namespace {

using storage::csr;

matrix moved_rows(const context& ctx, const context& own, const operand& a, const line_sources& rows) {
    const storage::matrix_body& body = a.a.body();
    const csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    if (rows.lines() == 0 || of.nnz == 0) return {own, of.type, rows.lines(), of.columns};
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    const auto held = of.kind == value_kind::pattern ? nullptr : body.values_on(ctx, of, of.type);
    const auto& memory = ctx.device_memory();
    const auto lines = static_cast<std::size_t>(rows.lines());
    device_lines there(ctx, rows);
    const buffer starts(memory, (lines + 1) * sizeof(offset_t)),
        temporary(memory, kernels::on_cuda().extract.scan_bytes(rows.lines()));
    kernels::device_extract_arguments k;
    k.rows = rows.lines();
    k.offsets = {entries->offsets.data(), of.offset_bytes == 8};
    k.columns = entries->indices.as<index_t>();
    k.values = of.kind == value_kind::full ? held->values.data() : nullptr;
    k.value_bytes = size_of(of.type);
    k.row_sources = there.sources();
    k.starts = starts.as<offset_t>();
    k.temporary = temporary.data();
    k.scan_bytes = temporary.bytes();
    kernels::on_cuda().extract.rows_count(k, ctx.gpu()->stream());
    ctx.gpu()->download(&k.entries, k.starts + lines, sizeof k.entries);

    csr shape;
    shape.rows = rows.lines();
    shape.columns = of.columns;
    shape.type = of.type;
    shape.kind = of.kind;
    shape.nnz = k.entries;
    shape.offset_bytes = storage::offset_bytes_for(k.entries);
    const auto n = static_cast<std::size_t>(k.entries);
    buffer offsets(memory, (lines + 1) * static_cast<std::size_t>(shape.offset_bytes)),
        indices(memory, n * sizeof(index_t) + storage::index_padding),
        values(memory, (of.kind == value_kind::full ? n : 1) * size_of(of.type));
    if (of.kind == value_kind::pattern)
        kernels::on_cuda().vectors.fill(values.data(), of.type, 1, storage::one_of(of.type),
                                        ctx.gpu()->stream());
    if (of.kind == value_kind::iso) ctx.gpu()->copy(values.data(), held->values.data(), values.bytes());
    ctx.gpu()->fill(indices.as<std::byte>() + n * sizeof(index_t), 0, storage::index_padding);
    k.out_offsets = offsets.data();
    k.wide = shape.offset_bytes == 8;
    k.out_columns = indices.as<index_t>();
    k.out_values = values.data();
    kernels::on_cuda().extract.rows_fill(k, ctx.gpu()->stream());
    return storage::make_device_matrix(own, ctx, std::move(shape), std::move(offsets), std::move(indices),
                                       std::move(values));
}

matrix moved_columns(const context& ctx, const context& own, const operand& a, const line_sources& columns) {
    if (columns.ascending()) {
        device_lines there(ctx, columns);
        return columns_placed_on_device(ctx, own, a, there.places(a.columns()), columns.lines());
    }
    const matrix moved = moved_rows(ctx, own, {a.a, !a.transposed}, columns);
    return moved.body().transposed(own, ctx);
}

matrix moved(const context& ctx, const context& own, const operand& a, const line_sources& rows,
             const line_sources& columns) {
    if (rows.all() && columns.all()) return a.transposed ? a.a.body().transposed(own, ctx) : a.a;
    if (rows.all()) return moved_columns(ctx, own, a, columns);
    const matrix lines = moved_rows(ctx, own, a, rows);
    return columns.all() ? lines : moved_columns(ctx, own, {lines}, columns);
}

}  // namespace

std::optional<matrix> moved_where_it_fits(const context& ctx, const context& own, const operand& a,
                                          const line_sources& rows, const line_sources& columns) {
    constexpr offset_t most = std::numeric_limits<std::uint32_t>::max();  // of a transpose there
    if (!ctx.gpu() || a.a.nnz() > most) return {};
    return if_it_fits<matrix>([&] { return moved(ctx, own, a, rows, columns); });
}

}  // namespace nz::ops
