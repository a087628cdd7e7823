// Closeness and eccentricity of all vertices from searches of some (Eppstein and Wang 2004).
//
// With S the sources, each once, d their distances to v over edges, and of those other than v: s in number, r with a path,
//     t(v) = sum of d,     closeness(v) = (r / s) (r / t),     eccentricity(v) >= max of d.
// With all vertices for sources s = n - 1: the closeness of Wasserman and Faust (1994), which weighs 1 / mean distance by the
// share that reaches v, and the eccentricity itself. From a random sample of log n / e^2 sources the mean distance is off by
// more than e times the diameter for few vertices. Where edges go both ways distances to v are those from v.
// Sources are searched 64 at a time, a bit each, and each level's finds added up at the vertices (bfs_many, of_vertices): a
// multi-source search for each 64 (on deep, thin graphs a CPU searches from one after another), and no level is kept.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace nz {
namespace {

// From sums over `sources`, each of which reaches itself by no edge.
closeness_result from_sums(const context& ctx, traverse_many_result found,
                           std::span<const offset_t> sources) {
    const traverse_many_sums& of = *found.of_vertices;
    const offset_t n = of.reached.size(), all = std::ssize(sources);
    vector self = vector::full(ctx, n, scalar(std::int64_t{0}));
    for (const offset_t s : sources) self.set(s, scalar(std::int64_t{1}));

    closeness_result result{vector(ctx, dtype::float64, n),
                            vector(ctx, dtype::int64, n),
                            of.level_sums,
                            vector(ctx, dtype::int32, n),
                            all,
                            0,
                            found.edges};
    ewise_add(ctx, result.reached, binary_id::minus, of.reached, self);
    apply(ctx, result.eccentricity, binary_id::max, of.depths, scalar(std::int32_t{0}));
    for (const std::int32_t depth : found.depths) result.diameter = std::max(result.diameter, depth);

    vector r(ctx, dtype::float64, n), t(ctx, dtype::float64, n), s(ctx, dtype::float64, n);
    apply(ctx, r, unary_id::identity, result.reached);
    apply(ctx, t, binary_id::max, result.distances, scalar(1.0));  // where it is 0 so is r
    apply(ctx, s, binary_id::minus, scalar(static_cast<double>(all)), self);
    apply(ctx, s, binary_id::max, s, scalar(1.0));
    ewise_mult(ctx, t, binary_id::div, r, t);
    ewise_mult(ctx, s, binary_id::div, r, s);
    ewise_mult(ctx, result.closeness, binary_id::times, s, t);
    return result;
}

}  // namespace

closeness_result closeness(const context& ctx, const matrix& a, std::span<const offset_t> sources,
                           const closeness_options& options) {
    require<dimension_mismatch>(a.rows() == a.columns(),
                                "closeness: the matrix is {} x {}; a graph needs a square one", a.rows(),
                                a.columns());
    std::vector<offset_t> all(sources.begin(), sources.end());
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    matrix edges = a;
    if (options.outward && !a.facts().symmetric_pattern) {
        edges = matrix(ctx, a.type(), a.rows(), a.rows());
        transpose(ctx, edges, a);
    }
    return from_sums(
        ctx, bfs_many(ctx, edges, all, {.levels = false, .of_vertices = true, .iterations = false}), all);
}

}  // namespace nz
