// Betweenness centrality (Brandes 2001): one operation, and the division that makes graphs comparable.
//
// With p(s,t) the shortest paths from s to t and p(s,t|v) those through v:
//     centrality(v) = sum over s among the sources and t of p(s,t|v) / p(s,t),     v, s, t distinct.
// Brandes: what v hands on for s, b(v) = sum over edges v -> w one level down of p(s,v) / p(s,w) (1 + b(w)), level by level
// from the last; so a search that counts paths and a sweep back are enough. Path counts are double: beyond 2^53 they round,
// which a share of paths bears.
#include "ops/betweenness.hpp"

#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

namespace nz {

centrality_result betweenness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                              const centrality_options& options) {
    centrality_result result = ops::betweenness(ctx, a, sources, options);
    if (options.normalise && a.rows() > 2) {
        const auto n = static_cast<double>(a.rows());
        apply(ctx, result.centrality, binary_id::div, result.centrality, scalar((n - 1) * (n - 2)));
    }
    return result;
}

}  // namespace nz
