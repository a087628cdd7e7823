#include "ops/extract_rows.hpp"

#include "kernels/cpu/extract/rows.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using storage::csr;

// Columns have their places in an array, unless filling it costs more than the entries that are read for it, or so few columns have
// a place that looking for them in each row costs less than looking at every entry.
bool by_array(offset_t columns, offset_t placed, offset_t rows, offset_t entries) {
    constexpr offset_t places_an_entry = 8, few = 2, looks = 8;
    return entries * places_an_entry >= columns && placed > few && placed * looks * rows > entries;
}

// About, where as many rows are taken as there are.
offset_t entries_read(const csr& a, const index_t* sources, index_t rows) {
    if (!sources || rows >= a.rows) return a.nnz;
    offset_t n = 0;
    for (index_t k = 0; k < rows; ++k)
        if (const index_t i = sources[k]; i >= 0) n += a.offset(i + offset_t{1}) - a.offset(i);
    return n;
}

// Of each column its first target, -1 without one.
array<index_t> first_of(const context& ctx, std::span<const kernels::column_target> targets,
                        index_t columns) {
    array<index_t> first(ctx, static_cast<std::size_t>(columns));
    first.fill(-1);
    for (std::size_t k = targets.size(); k-- > 0;)
        first[static_cast<std::size_t>(targets[k].column)] = static_cast<index_t>(k);
    return first;
}

}  // namespace

csr moved_lines(const context& ctx, const csr& a, const line_sources& rows, const line_sources& columns) {
    kernels::extract_rows_arguments k;
    k.a = kernels::csr_entries(a);
    k.rows = rows.lines();
    array<index_t> own_sources;
    k.row_sources = rows.sources(ctx, own_sources);
    k.all_columns = columns.all();
    k.ascending = columns.ascending();
    k.threads = ctx.threads();
    std::optional<array<index_t>> places;
    std::vector<kernels::column_target> targets;
    array<index_t> first_targets;
    if (!columns.all()) {
        const bool looked_up =
            by_array(a.columns, columns.lines(), k.rows, entries_read(a, k.row_sources, k.rows));
        if (looked_up) places = columns.places(ctx, a.columns);
        if (places) {
            k.place_of = places->data();
            k.every_column = columns.lines() == a.columns && std::ranges::count(*places, -1) == 0;
        } else {
            targets = columns.targets(ctx);
            if (looked_up) {
                first_targets = first_of(ctx, targets, a.columns);
                k.target_of = first_targets.data();
            }
        }
        k.targets = targets;
    }
    const array<index_t> lengths(ctx, static_cast<std::size_t>(k.rows));
    k.lengths = lengths.data();
    kernels::cpu::extract_rows_count(k);
    csr t = storage::allocate_csr(ctx, a.type, a.kind, k.rows, columns.lines(),
                                  std::span<const index_t>(lengths.data(), lengths.size()));
    k.out_offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.out_columns = t.indices.as<index_t>();
    if (a.kind == value_kind::full) k.out_values = t.values.data();
    if (a.kind == value_kind::iso) storage::store(t.values.data(), a.type, 0, a.value(0));
    kernels::cpu::extract_rows_fill(k);
    return t;
}

}  // namespace nz::ops
