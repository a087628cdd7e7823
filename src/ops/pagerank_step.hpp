// The steps of PageRank: what follows a product, as one operation, and whole steps in a kernel each.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"
#include "plan/pagerank.hpp"

#include <optional>
#include <vector>

namespace nz::ops {

/// r' = t + (1 - sum t) p, scaled' = scale r'. Dense vectors of one size and type, float32 or float64.
struct pagerank_vectors {
    double damping;       ///< d
    vector& carried;      ///< t
    const vector* start;  ///< p, the sum of it 1; null: 1 / n everywhere
    const vector& scale;  ///< d over out-degree, 0 without an edge out
    vector& ranks;
    vector& scaled;
    vector* moved;  ///< |r' - r|, where not null
};

/// What a step leaves.
struct pagerank_change {
    double moved;    ///< sum |r' - r|
    double carried;  ///< the sum of the next t, if it is A^T scaled' in all its rows
};

/// `sum` is the sum of t where the caller knows it.
pagerank_change pagerank_step(const context& ctx, const pagerank_vectors& v, std::optional<double> sum);

/// Which kernel does steps over a. Throws domain_error for an unknown one, not_supported for one that cannot serve.
plan::pagerank_plan plan_pagerank(const context& ctx, const matrix& a, bool adaptive, bool weighted,
                                  std::string_view kernel);

/// Up to `most` whole steps, t = A^T scaled and what follows, none after the first that moves ranks by at most `tolerance`; a
/// kernel each on the context's GPU. v.carried is room for every other y', v.moved is not looked at; `carried`: the sum of the
/// first t. What each step moved, and what the last one leaves.
struct pagerank_changes {
    std::vector<double> moved;
    double carried;
};
pagerank_changes pagerank_short_rows(const context& ctx, const matrix& a, const pagerank_vectors& v,
                                     double carried, double tolerance, int most);

}  // namespace nz::ops
