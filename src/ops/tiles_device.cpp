#include "ops/tiles_device.hpp"

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/mxv_product.hpp"

namespace nz::ops {
namespace {

using storage::tile_lists;
using storage::value_tiles;

buffer take(const context& ctx, offset_t count, std::size_t bytes) {
    return {ctx.device_memory(), static_cast<std::size_t>(count) * bytes};
}

// Kernels read the locals sixteen bytes at a time.
constexpr offset_t local_padding = 16;

// Counts, then fills: the host waits once, for the counts.
value_tiles build(const context& ctx, const storage::csr& a, tiling cut, std::optional<dtype> type,
                  const storage::device_csr& rows, const storage::device_values* values) {
    device::session& gpu = *ctx.gpu();
    const auto& table = kernels::on_cuda().tiles;
    value_tiles t{&a, ctx.device_memory(), cut, 0, 0, 0, type, {}, {}, {}, {}, {}, {}, {}, {}, {}};
    const index_t n = t.tile_rows();
    t.tile_starts = take(ctx, n + offset_t{1}, sizeof(std::uint32_t));
    t.extracted_starts = take(ctx, n + offset_t{1}, sizeof(offset_t));
    const buffer temporary = take(ctx, 1, table.scan_bytes(n + 1));
    const bool each = type && a.kind == value_kind::full;

    kernels::device_tile_build b;
    b.offsets = {rows.offsets.data(), a.offset_bytes == 8};
    b.indices = rows.indices.as<index_t>();
    b.values = each ? values->values.data() : nullptr;
    b.value_bytes = each ? size_of(*type) : 0;
    b.rows = a.rows;
    b.tile_rows = n;
    b.entries = a.nnz;
    b.size = cut.size;
    b.least_entries = cut.least_entries;
    b.tile_starts = t.tile_starts.as<std::uint32_t>();
    b.extracted_starts = t.extracted_starts.as<offset_t>();
    b.temporary = temporary.data();
    b.temporary_bytes = temporary.bytes();
    gpu.timed([&] { table.count(b, gpu.stream()); });
    t.kernel_ms = gpu.milliseconds();
    std::uint32_t count = 0;
    gpu.download(&count, b.tile_starts + n, sizeof count);
    gpu.download(&t.extracted, b.extracted_starts + n, sizeof t.extracted);
    t.count = count;
    t.kept = a.nnz - t.extracted;

    const auto local = static_cast<std::size_t>(storage::local_bytes(cut.size));
    t.tile_columns = take(ctx, t.count, sizeof(index_t));
    t.entry_starts = take(ctx, t.count + 1, sizeof(offset_t));
    t.row_starts = take(ctx, t.count * cut.size, local);
    t.locals = take(ctx, t.kept + local_padding, local);
    gpu.fill(t.locals.as<std::byte>() + static_cast<std::size_t>(t.kept) * local, 0, local_padding * local);
    t.extracted_rows = take(ctx, t.extracted, 1);
    t.extracted_columns = take(ctx, t.extracted, sizeof(index_t));
    if (each) t.values = take(ctx, a.nnz, size_of(*type));
    b.tiles = t.count;
    b.kept = t.kept;
    b.tile_columns = t.tile_columns.as<index_t>();
    b.entry_starts = t.entry_starts.as<offset_t>();
    b.row_starts = t.row_starts.data();
    b.locals = t.locals.data();
    b.extracted_rows = t.extracted_rows.as<std::uint8_t>();
    b.extracted_columns = t.extracted_columns.as<index_t>();
    b.out_values = t.values.data();
    gpu.timed([&] { table.fill(b, gpu.stream()); });
    t.kernel_ms += gpu.milliseconds();
    if (type && !each) {
        t.values = take(ctx, 1, sizeof(element));
        gpu.copy(t.values.data(), values->values.data(), values->values.bytes());
    }
    gpu.wait();  // the temporary memory goes
    return t;
}

}  // namespace

std::shared_ptr<const value_tiles> tiles_on_device(const context& ctx, const storage::matrix_body& body,
                                                   const storage::csr& of, tiling cut,
                                                   std::optional<dtype> type) {
    std::shared_ptr<const storage::device_csr> rows;
    std::shared_ptr<const storage::device_values> values;
    if (!body.has_tiles(ctx.device_memory(), of, cut, type)) {
        rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
        if (type) values = body.values_on(ctx, of, *type);
    }
    return body.tiles_in(ctx.device_memory(), of, cut, type,
                         [&] { return build(ctx, of, cut, type, *rows, values.get()); });
}

std::shared_ptr<const tile_lists> tile_lists_on_device(const context& ctx, const storage::matrix_body& body,
                                                       const std::shared_ptr<const value_tiles>& of) {
    return body.tile_lists_in(of, false, [&] {
        const auto& table = kernels::on_cuda().tiles;
        const index_t columns = storage::tile_columns_of(of->source->columns, of->cut.size);
        tile_lists lists{of.get(), false, take(ctx, columns + offset_t{1}, sizeof(offset_t)),
                         take(ctx, of->count + of->extracted, sizeof(index_t)), of->count + of->extracted};
        const buffer temporary = take(ctx, 1, table.scan_bytes(columns + 1));
        kernels::device_tile_lists l;
        l.tiles = tile_pointers(*of, nullptr);
        l.tile_rows = of->tile_rows();
        l.lists = columns;
        l.starts = lists.starts.as<offset_t>();
        l.met = lists.met.as<index_t>();
        l.temporary = temporary.data();
        l.temporary_bytes = temporary.bytes();
        table.list(l, ctx.gpu()->stream());
        ctx.gpu()->wait();
        return lists;
    });
}

std::shared_ptr<const tile_lists> tile_strips_on_device(const context& ctx, const storage::matrix_body& body,
                                                        const std::shared_ptr<const value_tiles>& of) {
    return body.tile_lists_in(of, true, [&] {
        const auto& table = kernels::on_cuda().tiles;
        device::session& gpu = *ctx.gpu();
        const auto rows = static_cast<index_t>(bits::words_for(of->source->rows));
        tile_lists lists{of.get(), true, take(ctx, rows + offset_t{1}, sizeof(offset_t)), {}};
        const buffer temporary = take(ctx, 1, table.scan_bytes(rows + 1));
        kernels::device_tile_lists s;
        s.by_rows = true;
        s.tiles = tile_pointers(*of, nullptr);
        s.tile_rows = of->tile_rows();
        s.lists = rows;
        s.starts = lists.starts.as<offset_t>();
        s.temporary = temporary.data();
        s.temporary_bytes = temporary.bytes();
        table.list(s, gpu.stream());
        gpu.download(&lists.count, s.starts + rows, sizeof lists.count);
        lists.met = take(ctx, lists.count, sizeof(index_t));
        s.met = lists.met.as<index_t>();
        if (s.met) table.list(s, gpu.stream());
        gpu.wait();
        return lists;
    });
}

}  // namespace nz::ops
