// A check of the transitive closure by a search with a list from every vertex.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace nz {

std::string validate_transitive_closure(const context&, const matrix& a, const matrix& reach,
                                        const closure_options& options) {
    require<dimension_mismatch>(
        a.rows() == a.columns() && reach.rows() == a.rows() && reach.columns() == a.rows(),
        "validate_transitive_closure: the graph is {} x {}, the closure {} x {}", a.rows(), a.columns(),
        reach.rows(), reach.columns());
    const storage::csr &rows = a.body().rows(), &found = reach.body().rows();
    std::vector<index_t> met_from(static_cast<std::size_t>(rows.rows), -1), met;
    for (index_t source = 0; source < rows.rows; ++source) {
        met.clear();
        const auto meet = [&](index_t v) {
            if (met_from[v] == source) return;
            met_from[v] = source;
            met.push_back(v);
        };
        const auto follow = [&](index_t u) {
            for (offset_t k = rows.offset(u); k < rows.offset(u + offset_t{1}); ++k)
                meet(rows.index_data()[k]);
        };
        follow(source);
        for (std::size_t at = 0; at < met.size(); ++at) follow(met[at]);
        if (options.reflexive) meet(source);
        std::ranges::sort(met);
        const index_t *begin = found.index_data() + found.offset(source),
                      *end = found.index_data() + found.offset(source + offset_t{1});
        const auto [right, is] = std::mismatch(met.begin(), met.end(), begin, end);
        if (right != met.end() && (is == end || *is > *right))
            return fmt::format("a path leads from {} to {}, and the closure does not say so", source, *right);
        if (is != end) return fmt::format("the closure has {} -> {}, where no path leads", source, *is);
    }
    return {};
}

}  // namespace nz
