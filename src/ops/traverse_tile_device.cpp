#include "ops/traverse_tile_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/tiles_device.hpp"
#include "ops/traverse_tile.hpp"
#include "storage/device_vector.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace nz::ops {
namespace {

using storage::bit_tiles;

// What a sample foresees of the tiles of A, or of its transpose, and a tenth more; nothing where the host has no rows to look at.
kernels::bit_counts foreseen(const storage::matrix_body& body, offset_t nnz, int size, int least_entries) {
    if (body.away()) return {};
    constexpr offset_t few = 64;
    const storage::tile_shares s = storage::expected_shares(body.sampled_tiles(size), least_entries);
    const auto room = [&](double share) {
        const auto count =
            static_cast<offset_t>(storage::device_tile_room * share * static_cast<double>(nnz)) + few;
        return static_cast<std::uint32_t>(std::min(count, nnz));
    };
    return {room(s.tiles), room(s.words), least_entries > 1 ? room(s.extracted) : 0};
}

void allocate(const context& ctx, const kernels::bit_counts& room, bit_tiles& t) {
    storage::with_tile_word(t.size, [&]<class Word>(std::type_identity<Word>) {
        t.headers = take(ctx, room.tiles, sizeof(storage::tile_header<Word>));
        t.row_words = take(ctx, room.words, sizeof(Word));
    });
    t.extracted_rows = take(ctx, room.outside, 1);
    t.extracted_columns = take(ctx, room.outside, sizeof(index_t));
}

bit_tiles build(const context& ctx, const storage::csr& a, int size, int least_entries,
                const storage::device_csr& rows, const kernels::bit_counts& room) {
    constexpr offset_t most_entries =
        std::numeric_limits<std::uint32_t>::max() - 64;  // steps past the end fit
    require<not_supported>(a.nnz <= most_entries, "bit tiles on a GPU hold up to {} entries, here are {}",
                           most_entries, a.nnz);
    device::session& gpu = *ctx.gpu();
    bit_tiles t;
    t.rows = a.rows;
    t.columns = a.columns;
    t.size = size;
    t.least_entries = least_entries;
    t.nnz = a.nnz;
    t.tile_ranges = take(ctx, t.tile_rows(), sizeof(storage::tile_range));
    t.extracted_ranges = take(ctx, t.tile_rows(), sizeof(storage::tile_range));
    const buffer counts = take(ctx, 1, sizeof(kernels::bit_counts));

    kernels::device_bit_build b{tile_source(a, rows, size, least_entries)};
    b.counts = counts.as<kernels::bit_counts>();
    b.ranges = t.tile_ranges.as<storage::tile_range>();
    b.outside_ranges = t.extracted_ranges.as<storage::tile_range>();
    t.kernel_ms = 0;
    const auto found = make_in_room(
        gpu, room, counts, t.kernel_ms,
        [&](const kernels::bit_counts& there) {
            allocate(ctx, there, t);
            b.room = there;
            b.headers = t.headers.data();
            b.row_words = t.row_words.data();
            b.extracted_rows = t.extracted_rows.as<std::uint8_t>();
            b.extracted_columns = t.extracted_columns.as<index_t>();
        },
        [&] { kernels::on_cuda().tiles.make_bits(b, gpu.stream()); });
    t.tiles = found.tiles;
    t.words = found.words;
    t.extracted = found.outside;
    return t;
}

double ratio(offset_t a, offset_t b) {
    return static_cast<double>(a) / static_cast<double>(std::max<offset_t>(b, 1));
}

// The rule's words for what the device did: the same pure function on the same counts.
void tell_tile_levels(const kernels::traverse_report& report, const matrix& a, const traverse_options& o,
                      const plan::traverse_plan& plan, double ms, traverse_result& result) {
    const auto kept = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(report.levels, kernels::traverse_report::capacity));
    const std::uint64_t first = kept ? report.records[0].ticks : 0;
    const double us_a_tick =
        report.end_ticks > first ? ms * 1e3 / static_cast<double>(report.end_ticks - first) : 0;
    offset_t unvisited = a.rows() - 1;
    for (std::uint32_t l = 0; l < kept; ++l) {
        const kernels::traverse_record& r = report.records[l];
        const auto phase = static_cast<plan::tile_phase>(r.pull);
        const auto choice = plan::choose_tile_phase(r.frontier, unvisited, a.rows(), plan.phases);
        const std::uint64_t end = l + 1 < kept ? report.records[l + 1].ticks : report.end_ticks;
        result.iterations.push_back(
            {phase == plan::tile_phase::push_csc ? direction::push : direction::pull, plan::name_of(phase),
             r.frontier, unvisited, choice.ratio,
             phase == plan::tile_phase::held ? "blocks hold their tiles" : choice.reason,
             us_a_tick * static_cast<double>(end - r.ticks)});
        if (l + 1 < kept) unvisited -= report.records[l + 1].frontier;
        if (o.on_level) o.on_level(result.iterations.back());
    }
}

}  // namespace

std::shared_ptr<const bit_tiles> bit_tiles_on_device(const context& ctx, const storage::matrix_body& body,
                                                     const storage::csr& of, int size, int least_entries) {
    const auto rows = &of == &body.rows_anywhere() ? body.rows_on(ctx) : body.columns_on(ctx);
    const kernels::bit_counts room = foreseen(body, of.nnz, size, least_entries);
    return body.bit_tiles_on(ctx, of, size, least_entries,
                             [&] { return build(ctx, of, size, least_entries, *rows, room); });
}

traverse_result traverse_tile_on_device(const context& ctx, const matrix& a, offset_t source,
                                        const traverse_options& o, const plan::traverse_plan& plan) {
    device::session& session = *ctx.gpu();
    const device::arrivals arrived(ctx);
    const storage::matrix_body& body = a.body();
    const storage::csr &rows = body.rows_anywhere(), &columns = body.columns_anywhere(ctx);
    const auto out = bit_tiles_on_device(ctx, body, rows, plan.tile_size, plan.tile_least),
               in = bit_tiles_on_device(ctx, body, columns, plan.tile_size, plan.tile_least);
    const auto rows_there = body.rows_on(ctx), columns_there = body.columns_on(ctx);
    const auto n = static_cast<index_t>(a.rows());
    storage::device_vector levels = storage::allocate_on_device(ctx, dtype::int32, n, vector_form::dense, n);
    storage::device_vector parents =
        storage::allocate_on_device(ctx, dtype::int32, o.parents ? n : 0, vector_form::dense, 0);
    const buffer workspace(ctx.device_memory(), plan.workspace_bytes),
        report(ctx.device_memory(), sizeof(kernels::traverse_report));

    kernels::device_tile_arguments d;
    kernels::tile_arguments& k = d.common;
    k.vertices = n;
    k.nnz = a.nnz();
    k.size = plan.tile_size;
    k.out = arrays_of(*out);
    k.in = arrays_of(*in);
    k.out_offsets = {rows_there->offsets.data(), rows.offset_bytes == 8};
    k.in_offsets = {columns_there->offsets.data(), columns.offset_bytes == 8};
    k.in_neighbours = columns_there->indices.as<index_t>();
    k.source = static_cast<index_t>(source);
    k.max_depth = o.max_depth;
    k.thresholds = plan.phases;
    k.levels = levels.values.as<std::int32_t>();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    k.workspace = workspace.data();
    d.report = report.as<kernels::traverse_report>();
    d.multiprocessors = session.about().multiprocessors;
    d.hold = plan.may_hold_tiles && plan.tile_size == 32 && out->extracted == 0 && in->extracted == 0 &&
             plan::blocks_hold_tiles(n, ratio(out->tiles, out->tile_rows()), ratio(out->nnz, out->words));
    session.timed([&] { kernels::on_cuda().tile_search(d, session.stream()); });

    // The totals, then the levels: two looks at the device.
    auto told = std::make_unique_for_overwrite<kernels::traverse_report>();
    constexpr std::size_t head = offsetof(kernels::traverse_report, records);
    session.download(told.get(), report.data(), head);
    const auto kept = std::min<std::uint64_t>(told->levels, kernels::traverse_report::capacity);
    if (kept)
        session.download(told->records, report.as<std::byte>() + head,
                         kept * sizeof(kernels::traverse_record));
    const auto on_device = [&](storage::device_vector content, index_t size) {
        return storage::make_device_vector(ctx, dtype::int32, size, vector_form::dense, size,
                                           std::move(content));
    };
    traverse_result result{on_device(std::move(levels), n),
                           on_device(std::move(parents), o.parents ? n : 0),
                           static_cast<offset_t>(told->reached),
                           static_cast<offset_t>(told->edges),
                           {},
                           backend::cuda,
                           session.milliseconds(),
                           ctx.device_peak_bytes(),
                           arrived.bytes()};
    tell_tile_levels(*told, a, o, plan, result.kernel_ms, result);
    return result;
}

}  // namespace nz::ops
