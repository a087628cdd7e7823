#include "kernels/reference/assign.hpp"

#include "kernels/reference/entries.hpp"
#include "kernels/reference/places.hpp"
#include "storage/csr_builder.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {

storage::vector_body spread(const context& ctx, const storage::vector_body& u, const index_list& indices,
                            index_t size) {
    storage::vector_builder t(ctx, u.type, size);
    for (const auto [place, source] : last_by_place(indices, size))
        if (const offset_t at = u.find(source); at >= 0)
            t.add(place, storage::load(u.values.data(), u.type, at));
    return std::move(t).finish();
}

storage::vector_body spread(const context& ctx, scalar x, const index_list& indices, index_t size) {
    storage::vector_builder t(ctx, x.type(), size);
    for (const auto [place, source] : last_by_place(indices, size)) t.add(place, x.bits());
    return std::move(t).finish();
}

storage::csr spread(const context& ctx, const storage::csr& a, const index_list& rows,
                    const index_list& columns, index_t row_count, index_t column_count) {
    // Which column of the output a column of `a` goes to; -1 where a later one of the list goes there.
    std::vector<index_t> place_of(static_cast<std::size_t>(a.columns), -1);
    for (const auto [place, source] : last_by_place(columns, column_count)) place_of[source] = place;
    storage::csr_builder t(ctx, a.type, row_count, column_count);
    std::vector<entry> row;
    for (const auto [i, k] : last_by_place(rows, row_count)) {
        row.clear();
        for (offset_t p = a.offset(k); p < a.offset(k + 1); ++p)
            if (const index_t j = place_of[a.index_data()[p]]; j >= 0) row.push_back({j, a.value(p)});
        std::sort(row.begin(), row.end(), [](const entry& x, const entry& y) { return x.index < y.index; });
        for (const entry& e : row) t.add(i, e.index, e.value);
    }
    return std::move(t).finish();
}

storage::csr spread(const context& ctx, scalar x, const index_list& rows, const index_list& columns,
                    index_t row_count, index_t column_count) {
    storage::csr_builder t(ctx, x.type(), row_count, column_count);
    const std::vector<target> column_targets = last_by_place(columns, column_count);
    for (const target& row : last_by_place(rows, row_count))
        for (const target& column : column_targets) t.add(row.place, column.place, x.bits());
    return std::move(t).finish();
}

storage::csr spread_masked(const context& ctx, scalar x, const index_list& rows, const index_list& columns,
                           const storage::csr& mask, bool structure) {
    storage::csr_builder t(ctx, x.type(), mask.rows, mask.columns);
    const std::vector<target> column_targets = last_by_place(columns, mask.columns);
    for (const target& row : last_by_place(rows, mask.rows))
        for (offset_t p = mask.offset(row.place); p < mask.offset(row.place + 1); ++p) {
            const bool listed =
                structure || from_element<bool>(cast(mask.value(p), mask.type, dtype::boolean));
            if (listed && names(column_targets, mask.index_data()[p]))
                t.add(row.place, mask.index_data()[p], x.bits());
        }
    return std::move(t).finish();
}

storage::vector_body replace_region(const context& ctx, const storage::vector_body& w,
                                    const storage::vector_body& t, const index_list& indices) {
    const std::vector<target> region = last_by_place(indices, w.size);
    storage::vector_builder z(ctx, w.type, w.size);
    for_each_in_union(entries_of(w), entries_of(t),
                      [&](index_t i, const element* old, const element* assigned) {
                          if (assigned)
                              z.add(i, cast(*assigned, t.type, w.type));
                          else if (!names(region, i))
                              z.add(i, *old);
                      });
    return std::move(z).finish();
}

storage::csr replace_region(const context& ctx, const storage::csr& c, const storage::csr& t,
                            const index_list& rows, const index_list& columns) {
    const std::vector<target> region_rows = last_by_place(rows, c.rows),
                              region_columns = last_by_place(columns, c.columns);
    storage::csr_builder z(ctx, c.type, c.rows, c.columns);
    entry_list row_of_c(ctx), row_of_t(ctx);
    for (index_t i = 0; i < c.rows; ++i) {
        const bool row_named = names(region_rows, i);
        take_row(c, i, row_of_c);
        take_row(t, i, row_of_t);
        for_each_in_union(row_of_c, row_of_t, [&](index_t j, const element* old, const element* assigned) {
            if (assigned)
                z.add(i, j, cast(*assigned, t.type, c.type));
            else if (!row_named || !names(region_columns, j))
                z.add(i, j, *old);
        });
    }
    return std::move(z).finish();
}

storage::csr replace_row(const context& ctx, const storage::csr& c, index_t i,
                         const storage::vector_body& w) {
    storage::csr_builder z(ctx, c.type, c.rows, c.columns);
    entry_list row(ctx);
    for (index_t k = 0; k < c.rows; ++k) {
        if (k == i)
            row = entries_of(w);
        else
            take_row(c, k, row);
        for (const entry& e : row) z.add(k, e.index, e.value);
    }
    return std::move(z).finish();
}

storage::csr replace_column(const context& ctx, const storage::csr& c, index_t j,
                            const storage::vector_body& w) {
    storage::csr_builder z(ctx, c.type, c.rows, c.columns);
    entry_list row(ctx), replacement(ctx);
    for (index_t i = 0; i < c.rows; ++i) {
        take_row(c, i, row);
        replacement.clear();
        if (const offset_t at = w.find(i); at >= 0)
            replacement.push({j, storage::load(w.values.data(), w.type, at)});
        for_each_in_union(row, replacement, [&](index_t column, const element* old, const element* assigned) {
            if (assigned)
                z.add(i, column, *assigned);
            else if (column != j)
                z.add(i, column, *old);
        });
    }
    return std::move(z).finish();
}

}  // namespace nz::kernels::reference
