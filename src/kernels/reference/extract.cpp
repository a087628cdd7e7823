#include "kernels/reference/extract.hpp"

#include "kernels/reference/entries.hpp"
#include "kernels/reference/places.hpp"
#include "storage/csr_builder.hpp"
#include "storage/vector_builder.hpp"

namespace nz::kernels::reference {

storage::vector_body extract(const context& ctx, const storage::vector_body& u, const index_list& indices) {
    const auto size = static_cast<index_t>(indices.size(u.size));
    storage::vector_builder t(ctx, u.type, size);
    for (index_t k = 0; k < size; ++k)
        if (const offset_t at = u.find(indices[k]); at >= 0)
            t.add(k, storage::load(u.values.data(), u.type, at));
    return std::move(t).finish();
}

storage::csr extract(const context& ctx, const storage::csr& a, const index_list& rows,
                     const index_list& columns) {
    const auto row_count = static_cast<index_t>(rows.size(a.rows)),
               column_count = static_cast<index_t>(columns.size(a.columns));
    const std::vector<target> wanted = by_place(columns, a.columns);
    storage::csr_builder t(ctx, a.type, row_count, column_count);
    std::vector<entry> row;
    for (index_t k = 0; k < row_count; ++k) {
        row.clear();
        for (offset_t p = a.offset(rows[k]); p < a.offset(rows[k] + 1); ++p) {
            const index_t j = a.index_data()[p];
            auto at = std::lower_bound(wanted.begin(), wanted.end(), target{j, 0});
            for (; at != wanted.end() && at->place == j; ++at) row.push_back({at->source, a.value(p)});
        }
        std::sort(row.begin(), row.end(), [](const entry& x, const entry& y) { return x.index < y.index; });
        for (const entry& e : row) t.add(k, e.index, e.value);
    }
    return std::move(t).finish();
}

storage::vector_body extract_column(const context& ctx, const storage::csr& a, const index_list& rows,
                                    index_t column) {
    const auto size = static_cast<index_t>(rows.size(a.rows));
    storage::vector_builder t(ctx, a.type, size);
    for (index_t k = 0; k < size; ++k) {
        const index_t* first = a.index_data() + a.offset(rows[k]);
        const index_t* last = a.index_data() + a.offset(rows[k] + 1);
        const index_t* at = std::lower_bound(first, last, column);
        if (at != last && *at == column) t.add(k, a.value(at - a.index_data()));
    }
    return std::move(t).finish();
}

storage::vector_body extract_row(const context& ctx, const storage::csr& a, index_t row) {
    storage::vector_builder t(ctx, a.type, a.columns);
    for (offset_t p = a.offset(row); p < a.offset(row + 1); ++p) t.add(a.index_data()[p], a.value(p));
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
