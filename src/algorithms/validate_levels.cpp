// The checks of a breadth-first search that need no parents, for directed and undirected graphs.
#include "core/bits.hpp"
#include "core/buffer.hpp"
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "ops/checks.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

namespace nz {

std::string validate_levels(const context& ctx, const matrix& a, offset_t source, const vector& levels) {
    require<dimension_mismatch>(a.rows() == a.columns() && levels.size() == a.rows(),
                                "validate_levels: the graph is {} x {}, levels have {} entries", a.rows(),
                                a.columns(), levels.size());
    ops::check_source(source, a.rows());
    const auto level = levels.values<std::int32_t>();
    const auto n = static_cast<index_t>(a.rows());
    const storage::csr& rows = a.body().rows();
    const array<bits::word> entered(ctx, bits::words_for(n));  // vertices with an edge from the level above
    entered.fill(0);
    for (index_t u = 0; u < n; ++u) {
        if ((level[u] == 0) != (u == source)) return fmt::format("vertex {} has level {}", u, level[u]);
        if (level[u] < 0) continue;
        for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k) {
            const index_t v = rows.index_data()[k];
            if (level[v] < 0) return fmt::format("edge {} -> {}: {} was not reached", u, v, v);
            if (level[v] > level[u] + 1)
                return fmt::format("edge {} -> {} goes from level {} to level {}", u, v, level[u], level[v]);
            if (level[v] == level[u] + 1) bits::set(entered.data(), v);
        }
    }
    for (index_t v = 0; v < n; ++v)
        if (level[v] > 0 && !bits::test(entered.data(), v))
            return fmt::format("vertex {} on level {} has no edge from the level above", v, level[v]);
    return {};
}

}  // namespace nz
