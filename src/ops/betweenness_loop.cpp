// The specification of betweenness in GraphBLAS's words: two sweeps a source.
//
// Forward, level by level, with q the path counts of the level's vertices and p those of all reached so far:
//     q<!p> = A^T q over (plus, second),     p = p + q.
// Backward, from the last level d to the first, with b(v) what paths through v hand on to v (0 in the beginning):
//     w<q_d> = (1 + b) / q_d,     t<q_(d-1)> = A w over (plus, second),     b = b + t x q_(d-1).
// b summed over the sources is the centrality. Levels keep their q, so that the masks and the counts going back are at
// hand: 12 bytes a vertex reached. A level costs its edges, and a few words for each 64 vertices of the graph.
#include "ops/betweenness_loop.hpp"

#include "nonzero/operations.hpp"

#include <cmath>
#include <vector>

namespace nz::ops {
namespace {

class sweeps {
public:
    sweeps(const context& ctx, const matrix& a)
        : ctx_(ctx), a_(a), n_(a.rows()), total_(vector::full(ctx, n_, scalar(0.0))) {}

    void from(offset_t source, centrality_result& result) {
        const std::vector<vector> levels = count_paths(source);
        result.iterations += static_cast<int>(levels.size());
        vector handed = vector::full(ctx_, n_, scalar(0.0));
        for (std::size_t d = levels.size(); d-- > 2;) {  // level 0 is the source, which is between nothing
            vector share(ctx_, dtype::float64, n_), to_parents(ctx_, dtype::float64, n_);
            ewise_mult(ctx_, share, binary_id::second, levels[d], handed);
            apply(ctx_, share, binary_id::plus, share, scalar(1.0));
            ewise_mult(ctx_, share, binary_id::div, share, levels[d]);
            mxv(ctx_, to_parents, ring_, a_, share, {.mask = &levels[d - 1], .mask_structure = true});
            ewise_mult(ctx_, to_parents, binary_id::times, to_parents, levels[d - 1]);
            add_to(handed, to_parents);
        }
        ewise_add(ctx_, total_, binary_id::plus, total_, handed);
    }
    vector take() { return std::move(total_); }
    bool counted() const { return counted_; }

private:
    // Path counts of each level's vertices.
    std::vector<vector> count_paths(offset_t source) {
        vector level(ctx_, dtype::float64, n_), reached(ctx_, dtype::float64, n_);
        level.set(source, scalar(1.0));
        level.convert_to(vector_form::sparse);
        reached.set(source, scalar(1.0));
        std::vector<vector> levels;
        while (level.count() > 0) {
            levels.push_back(level);
            vector next(ctx_, dtype::float64, n_);
            mxv(ctx_, next, ring_, a_, level,
                {.mask = &reached, .mask_structure = true, .mask_complement = true, .transpose_a = true});
            if (next.count() > 0) counted_ &= std::isfinite(reduce(ctx_, binary_id::max, next).get<double>());
            add_to(reached, next);
            level = std::move(next);
        }
        return levels;
    }
    void add_to(vector& w, const vector& u) const {
        apply(ctx_, w, unary_id::identity, u, {.accum = binary_id::plus});
    }

    const context& ctx_;
    const matrix& a_;
    const offset_t n_;
    const semiring ring_{binary_id::plus, binary_id::second, dtype::float64};
    vector total_;
    bool counted_ = true;  // all numbers of paths are doubles
};

}  // namespace

std::optional<centrality_result> betweenness_loop(const context& ctx, const matrix& a,
                                                  std::span<const offset_t> sources) {
    sweeps all(ctx, a);
    centrality_result result{vector(ctx, dtype::float64, 0), 0, {}};
    for (const offset_t source : sources) all.from(source, result);
    if (!all.counted()) return {};
    result.centrality = all.take();
    return result;
}

}  // namespace nz::ops
