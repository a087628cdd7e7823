#include "ops/tiles_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/mxv_product.hpp"

#include <array>
#include <limits>

namespace nz::ops {
namespace {

using storage::tile_lists;
using storage::value_tiles;

// Kernels read the locals sixteen bytes at a time.
constexpr offset_t local_padding = 16;
// Numbers of entries, and of a warp's behind them, fit 32 bits.
constexpr offset_t most_entries = std::numeric_limits<std::uint32_t>::max() - 64;

// What the GPU's sample foresees, and a tenth more.
kernels::tile_counts foreseen(device::session& gpu, const kernels::device_tile_build& b, double& ms) {
    unsigned blocks = 0;
    gpu.timed([&] { blocks = kernels::on_cuda().tiles.sample(b, gpu.stream()); });
    ms = gpu.milliseconds();
    std::array<kernels::tile_counts, kernels::device_tile_table::most_sampled> of_blocks;
    gpu.download(of_blocks.data(), b.counts + 1, blocks * sizeof(kernels::tile_counts));
    kernels::tile_counts some;
    for (unsigned k = 0; k < blocks; ++k)
        some.tiles += of_blocks[k].tiles, some.kept += of_blocks[k].kept,
            some.outside += of_blocks[k].outside;
    const offset_t seen = offset_t{some.kept} + some.outside;
    if (seen == b.entries) return some;
    constexpr double few = 64;
    const auto room = [&](std::uint32_t count) {
        const double all = static_cast<double>(count) * static_cast<double>(b.entries) /
                           static_cast<double>(std::max<offset_t>(seen, 1));
        return static_cast<std::uint32_t>(
            std::min(storage::device_tile_room * all + few, static_cast<double>(b.entries)));
    };
    return {room(some.tiles), room(some.kept), b.least_entries > 1 ? room(some.outside) : 0};
}

void allocate(const context& ctx, const kernels::tile_counts& room, value_tiles& t) {
    const auto local = static_cast<std::size_t>(storage::local_bytes(t.cut.size));
    t.tile_columns = take(ctx, room.tiles, sizeof(index_t));
    t.entry_starts = take(ctx, offset_t{room.tiles} + 1, sizeof(offset_t));
    t.row_starts = take(ctx, offset_t{room.tiles} * t.cut.size, local);
    t.locals = take(ctx, room.kept + local_padding, local);
    t.extracted_rows = take(ctx, room.outside, 1);
    t.extracted_columns = take(ctx, room.outside, sizeof(index_t));
}

value_tiles build(const context& ctx, const storage::csr& a, tiling cut, std::optional<dtype> type,
                  const storage::device_csr& rows, const storage::device_values* values) {
    require<not_supported>(a.nnz <= most_entries, "value tiles on a GPU hold up to {} entries, here are {}",
                           most_entries, a.nnz);
    device::session& gpu = *ctx.gpu();
    const auto& table = kernels::on_cuda().tiles;
    value_tiles t;
    t.source = &a;
    t.memory = ctx.device_memory();
    t.cut = cut;
    t.type = type;
    t.tile_ranges = take(ctx, t.tile_rows(), sizeof(storage::tile_range));
    t.extracted_ranges = take(ctx, t.tile_rows(), sizeof(storage::tile_range));
    const buffer counts =
        take(ctx, 1 + kernels::device_tile_table::most_sampled, sizeof(kernels::tile_counts));
    const bool each = type && a.kind == value_kind::full;
    if (each) t.values = take(ctx, a.nnz, size_of(*type));

    kernels::device_tile_build b{tile_source(a, rows, cut.size, cut.least_entries)};
    b.values = each ? values->values.data() : nullptr;
    b.value_bytes = each ? size_of(*type) : 0;
    b.counts = counts.as<kernels::tile_counts>();
    b.tile_ranges = t.tile_ranges.as<storage::tile_range>();
    b.extracted_ranges = t.extracted_ranges.as<storage::tile_range>();
    b.out_values = t.values.data();
    const kernels::tile_counts room = foreseen(gpu, b, t.kernel_ms);
    const auto found = make_in_room(
        gpu, room, counts, t.kernel_ms,
        [&](const kernels::tile_counts& there) {
            allocate(ctx, there, t);
            b.room = there;
            b.tile_columns = t.tile_columns.as<index_t>();
            b.entry_starts = t.entry_starts.as<offset_t>();
            b.row_starts = t.row_starts.data();
            b.locals = t.locals.data();
            b.extracted_rows = t.extracted_rows.as<std::uint8_t>();
            b.extracted_columns = t.extracted_columns.as<index_t>();
        },
        [&] { table.make(b, gpu.stream()); });
    t.count = found.tiles;
    t.kept = found.kept;
    t.extracted = found.outside;
    t.outside_values = b.outside_values();
    const auto local = static_cast<std::size_t>(storage::local_bytes(cut.size));
    gpu.fill(t.locals.as<std::byte>() + static_cast<std::size_t>(t.kept) * local, 0, local_padding * local);
    if (t.count == 0) gpu.fill(t.entry_starts.data(), 0, sizeof(offset_t));
    if (type && !each) {
        t.values = take(ctx, 1, sizeof(element));
        gpu.copy(t.values.data(), values->values.data(), values->values.bytes());
    }
    gpu.wait();
    return t;
}

}  // namespace

kernels::device_tile_source tile_source(const storage::csr& of, const storage::device_csr& there, int size,
                                        int least_entries) {
    kernels::device_tile_source source;
    source.offsets = {there.offsets.data(), of.offset_bytes == 8};
    source.indices = there.indices.as<index_t>();
    source.rows = of.rows;
    source.tile_rows = static_cast<index_t>((offset_t{of.rows} + size - 1) / size);
    source.entries = of.nnz;
    source.size = size;
    source.least_entries = least_entries;
    return source;
}

std::shared_ptr<const value_tiles> tiles_on_device(const context& ctx, const storage::matrix_body& body,
                                                   const storage::csr& of, tiling cut,
                                                   std::optional<dtype> type) {
    const auto rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
    const auto values = type ? body.values_on(ctx, of, *type) : nullptr;
    return body.tiles_in(ctx.device_memory(), of, cut, type,
                         [&] { return build(ctx, of, cut, type, *rows, values.get()); });
}

std::shared_ptr<const tile_lists> tile_lists_on_device(const context& ctx, const storage::matrix_body& body,
                                                       const std::shared_ptr<const value_tiles>& of) {
    return body.tile_lists_in(of, false, [&] {
        const auto& table = kernels::on_cuda().tiles;
        const index_t columns = storage::tile_columns_of(of->source->columns, of->cut.size);
        tile_lists lists{{},
                         false,
                         take(ctx, columns + offset_t{1}, sizeof(offset_t)),
                         take(ctx, of->count + of->extracted, sizeof(index_t)),
                         of->count + of->extracted};
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
        tile_lists lists{{}, true, take(ctx, rows + offset_t{1}, sizeof(offset_t)), {}};
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
