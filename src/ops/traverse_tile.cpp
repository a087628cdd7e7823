#include "ops/traverse_tile.hpp"

#include "core/checks.hpp"
#include "kernels/cpu/traverse/tile.hpp"
#include "ops/traverse_arguments.hpp"
#include "storage/matrix_body.hpp"
#include "storage/vector_body.hpp"

namespace nz::ops {
namespace {

std::size_t structure_bytes(const storage::csr& a) { return a.offsets.bytes() + a.indices.bytes(); }

}  // namespace

kernels::bit_tile_arrays arrays_of(const storage::bit_tiles& t) {
    return {t.tile_range_data(),
            t.headers.data(),
            t.row_words.data(),
            t.extracted_range_data(),
            t.extracted_rows.as<const std::uint8_t>(),
            t.extracted_columns.as<const index_t>(),
            t.tiles,
            t.extracted};
}

void check_tile_options(const traverse_options& o) {
    const traverse_switches& s = o.switches;
    require<not_supported>(
        s.change_direction && s.masking && s.early_exit && s.operand_reuse && s.structure_only,
        "kernel tile has none of the five switches: leave them all on, or use push_pull_fused");
    require<not_supported>(!s.duplicates,
                           "kernel tile has bits for frontiers, which hold no duplicates: leave that switch "
                           "off, or use push_pull_fused");
    require<not_supported>(
        !o.hub_first,
        "kernel tile reads tiles, which have one order: leave --hub-first out, or use push_pull_fused");
    require<not_supported>(
        o.schedule.empty(),
        "kernel tile has three phases, not two directions: leave the schedule out; alpha and "
        "beta move its thresholds");
}

void sample_tiles(const matrix& a, plan::traverse_facts& facts) {
    const storage::csr& rows = a.body().rows();
    const double room = facts.on_device ? storage::device_tile_room : 1;
    const auto expected = [&](int size) {
        const std::size_t bytes =
            storage::expected_bytes(a.body().sampled_tiles(size), rows.rows, rows.nnz, 0);
        return static_cast<std::size_t>(room * static_cast<double>(bytes));
    };
    facts.csr_bytes = structure_bytes(rows);
    facts.tile_bytes_32 = expected(32);
    facts.tile_bytes_64 = expected(64);
    const storage::tile_sample sample = a.body().sampled_tiles(32);
    facts.entries_a_word = sample.entries_a_word();
    facts.tiles_a_row =
        sample.tiles * static_cast<double>(rows.nnz) / static_cast<double>((offset_t{rows.rows} + 31) / 32);
    facts.tiles_sampled = true;
}

void refuse_tiles(const plan::traverse_facts& f) {
    fail<not_supported>(
        "kernel tile: tiles of 64 would take about {} bytes, those of 32 {}, more than {} times the {} bytes of "
        "the CSR: use push_pull_fused, reorder the graph, or build them all the same with tiles.size (--tile-size, tile_size=)",
        f.tile_bytes_64, f.tile_bytes_32, plan::most_tile_growth, f.csr_bytes);
}

traverse_result traverse_tile(const context& ctx, const matrix& a, offset_t source, const traverse_options& o,
                              const plan::traverse_plan& plan) {
    const storage::csr &rows = a.body().rows(), &columns = a.body().columns();
    const auto out = a.body().bit_tiles_of_rows(plan.tile_size, plan.tile_least);
    const auto in = a.body().bit_tiles_of_columns(plan.tile_size, plan.tile_least);
    const auto n = static_cast<index_t>(a.rows());
    auto levels = storage::make_vector_body(ctx, dtype::int32, n, vector_form::dense, n);
    auto parents = storage::make_vector_body(ctx, dtype::int32, o.parents ? n : 0, vector_form::dense,
                                             o.parents ? n : 0);
    const buffer workspace(ctx.memory(), plan.workspace_bytes);

    kernels::tile_arguments k;
    k.vertices = n;
    k.nnz = a.nnz();
    k.size = plan.tile_size;
    k.out = arrays_of(*out);
    k.in = arrays_of(*in);
    k.out_offsets = {rows.offsets.data(), rows.offset_bytes == 8};
    k.in_offsets = {columns.offsets.data(), columns.offset_bytes == 8};
    k.in_neighbours = columns.index_data();
    k.source = static_cast<index_t>(source);
    k.max_depth = o.max_depth;
    k.thresholds = plan.phases;
    k.levels = levels.values.as<std::int32_t>();
    k.parents = o.parents ? parents.values.as<std::int32_t>() : nullptr;
    k.workspace = workspace.data();
    k.threads = ctx.threads();

    traverse_result result{
        storage::make_vector(std::move(levels)), storage::make_vector(std::move(parents)), 0, 0, {}};
    level_receiver receiver{result, o};
    k.on_level = &level_receiver::hear;
    k.receiver = &receiver;
    const auto totals = kernels::cpu::tile(k);
    result.reached = totals.reached;
    result.edges = totals.edges;
    return result;
}

}  // namespace nz::ops
