// Closeness and eccentricity of all vertices from searches of some (Eppstein and Wang 2004).
//
// With S the sources, each once, d their distances to v over edges, and of those other than v: s in number, r with a path,
//     t(v) = sum of d,     closeness(v) = (r / s) (r / t),     eccentricity(v) >= max of d.
// With all vertices for sources s = n - 1: the closeness of Wasserman and Faust (1994), which weighs 1 / mean distance by the
// share that reaches v, and the eccentricity itself. From a random sample of log n / e^2 sources the mean distance is off by
// more than e times the diameter for few vertices. Where edges go both ways distances to v are those from v.
// Sources are searched 64 at a time, a bit each (bfs_many), and their levels added up before the next come: a batch costs a
// multi-source search, four passes over n a source, and 256 bytes a vertex.
#include "core/checks.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/operations.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace nz {
namespace {

constexpr std::size_t batch = 64;  // as many as a search has bits

class sums {
public:
    sums(const context& ctx, offset_t n)
        : ctx_(ctx),
          n_(n),
          result_{vector(ctx, dtype::float64, n),
                  vector::full(ctx, n, scalar(std::int64_t{0})),
                  vector::full(ctx, n, scalar(std::int64_t{0})),
                  vector::full(ctx, n, scalar(std::int32_t{0})),
                  0,
                  0,
                  0} {}

    // Levels are -1 where not reached; 0 at the source, which counts for nothing.
    void add(const traverse_many_result& found) {
        for (const vector& levels : found.levels) {
            vector distance(ctx_, dtype::int32, n_), away(ctx_, dtype::int32, n_);
            apply(ctx_, distance, binary_id::max, levels, scalar(std::int32_t{0}));
            apply(ctx_, away, binary_id::min, distance, scalar(std::int32_t{1}));
            ewise_add(ctx_, result_.distances, binary_id::plus, result_.distances, distance);
            ewise_add(ctx_, result_.reached, binary_id::plus, result_.reached, away);
            ewise_add(ctx_, result_.eccentricity, binary_id::max, result_.eccentricity, distance);
        }
        for (const std::int32_t depth : found.depths) result_.diameter = std::max(result_.diameter, depth);
        result_.edges += found.edges;
    }
    closeness_result finish(std::span<const offset_t> sources) {
        result_.sources = std::ssize(sources);
        std::vector<double> others(static_cast<std::size_t>(n_), static_cast<double>(sources.size()));
        for (const offset_t s : sources) others[static_cast<std::size_t>(s)] -= 1;
        vector r(ctx_, dtype::float64, n_), t(ctx_, dtype::float64, n_),
            s = vector::dense<double>(ctx_, others);
        apply(ctx_, r, unary_id::identity, result_.reached);
        apply(ctx_, t, binary_id::max, result_.distances, scalar(1.0));  // where it is 0 so is r
        apply(ctx_, s, binary_id::max, s, scalar(1.0));
        ewise_mult(ctx_, t, binary_id::div, r, t);
        ewise_mult(ctx_, s, binary_id::div, r, s);
        ewise_mult(ctx_, result_.closeness, binary_id::times, s, t);
        return std::move(result_);
    }

private:
    const context& ctx_;
    const offset_t n_;
    closeness_result result_;
};

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
    sums total(ctx, a.rows());
    const std::span<const offset_t> rest(all);
    for (std::size_t at = 0; at < all.size(); at += batch)
        total.add(bfs_many(ctx, edges, rest.subspan(at, std::min(batch, all.size() - at))));
    return total.finish(all);
}

}  // namespace nz
