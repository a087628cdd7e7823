#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/extract_rows.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/new_device_csr.hpp"
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

    new_device_csr out(ctx, storage::csr_shape(of.type, of.kind, rows.lines(), of.columns, k.entries));
    if (of.kind == value_kind::iso) ctx.gpu()->copy(out.values(), held->values.data(), out.value_bytes());
    k.out_offsets = out.offsets();
    k.wide = out.wide();
    k.out_columns = out.columns();
    k.out_values = out.each_value();
    kernels::on_cuda().extract.rows_fill(k, ctx.gpu()->stream());
    return std::move(out).made(own, ctx);
}

// A matrix over borrowed arrays as one of its own.
matrix copied(const context& ctx, const context& own, const storage::matrix_body& body) {
    const csr& of = body.rows_anywhere();
    const auto held = body.values_on(ctx, of, of.type);
    buffer values(ctx.device_memory(), held->values.bytes());
    ctx.gpu()->copy(values.data(), held->values.data(), values.bytes());
    return storage::make_device_matrix(own, ctx, of, body.entries_on(ctx), std::move(values));
}

constexpr offset_t most_transposed = std::numeric_limits<std::uint32_t>::max();

std::optional<matrix> moved_columns(const context& ctx, const context& own, const operand& a,
                                    const line_sources& columns) {
    if (columns.ascending()) {
        device_lines there(ctx, columns);
        return columns_placed_on_device(ctx, own, a, there.places(a.columns()), columns.lines());
    }
    const matrix moved = moved_rows(ctx, own, {a.a, !a.transposed}, columns);
    if (moved.nnz() > most_transposed) return {};  // columns that repeat
    return moved.body().transposed(own, ctx);
}

// Whether rows and columns that both change their order are best moved as rows, columns first: one transpose between, where those of
// A are there or are its rows.
bool permutes(const operand& a, const line_sources& rows, const line_sources& columns) {
    return !columns.all() && !columns.ascending() && columns.lines() <= a.columns() &&
           rows.lines() >= a.rows() && (a.transposed || a.a.body().has_columns());
}

std::optional<matrix> moved(const context& ctx, const context& own, const operand& a,
                            const line_sources& rows, const line_sources& columns) {
    const storage::matrix_body& body = a.a.body();
    if (rows.all() && columns.all()) {
        if (a.transposed) return body.transposed(own, ctx);
        const bool may_share = !body.borrows() && own.memory() == body.ctx.memory();
        return may_share ? a.a : copied(ctx, own, body);
    }
    if (rows.all()) return moved_columns(ctx, own, a, columns);
    if (permutes(a, rows, columns)) {
        const matrix turned = moved_rows(ctx, own, {a.a, !a.transposed}, columns);
        return moved_rows(ctx, own, {turned, true}, rows);
    }
    const matrix lines = moved_rows(ctx, own, a, rows);
    return columns.all() ? lines : moved_columns(ctx, own, {lines}, columns);
}

}  // namespace

std::optional<matrix> moved_where_it_fits(const context& ctx, const context& own, const operand& a,
                                          const line_sources& rows, const line_sources& columns) {
    if (!ctx.gpu() || a.a.nnz() > most_transposed) return {};
    return if_it_fits<matrix>([&] { return moved(ctx, own, a, rows, columns); });
}

}  // namespace nz::ops
