#include "kernels/reference/transpose.hpp"

#include "storage/csr_builder.hpp"

#include <tuple>
#include <vector>

namespace nz::kernels::reference {

storage::csr transpose(const context& ctx, const storage::csr& a) {
    struct coordinate {
        index_t row, column;
        element value;
    };
    std::vector<coordinate> entries;
    for (index_t i = 0; i < a.rows; ++i)
        for (offset_t p = a.offset(i); p < a.offset(i + 1); ++p)
            entries.push_back({a.index_data()[p], i, a.value(p)});
    std::sort(entries.begin(), entries.end(), [](const coordinate& x, const coordinate& y) {
        return std::tie(x.row, x.column) < std::tie(y.row, y.column);
    });
    storage::csr_builder t(ctx, a.type, a.columns, a.rows);
    for (const coordinate& e : entries) t.add(e.row, e.column, e.value);
    return std::move(t).finish();
}

}  // namespace nz::kernels::reference
