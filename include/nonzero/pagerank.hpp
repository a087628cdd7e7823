// PageRank: options and result.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nz {

struct pagerank_options {
    double damping = 0.85;    ///< share of a rank that follows edges; the rest is spread anew
    double tolerance = 1e-6;  ///< stop once the ranks change by no more in one step, summed over the vertices
    int max_iterations = 100;     ///< ... or after so many steps
    dtype type = dtype::float64;  ///< of the ranks: float64, or float32, which moves half the bytes
    /// What is spread anew goes here, by weight: any numeric vector of entries that are not negative, of which one is
    /// positive; it is scaled to sum up to 1. Null: to all vertices alike.
    const vector* personalisation = nullptr;
    /// Ranks follow edges in proportion to A's values, weights that are finite and not negative, instead of alike; a row whose
    /// weights sum up to 0 counts as one without edges. Other rows sum up to 1e-290 to 1e290 (1e-27 to 1e27 for float32).
    bool weighted = false;
    /// Leave out vertices whose own rank changes by less than tolerance / n, and look at all again before the end; where some still
    /// change then, all go on.
    bool adaptive = false;
    std::string_view kernel{};  ///< "step", "short_rows"; empty: the plan chooses
};

/// One step as it was done.
struct pagerank_step {
    double change;    ///< sum over the vertices of |new rank - old rank|
    offset_t active;  ///< vertices that were computed anew
};

struct pagerank_result {
    vector ranks;  ///< dense; they sum up to 1
    int iterations = 0;
    double change = 0;       ///< of the last step
    bool converged = false;  ///< change is at most the tolerance
    std::vector<pagerank_step> steps;
    std::string plan;  ///< kernel and reason, then the products' plan where they are apart; one line
};

}  // namespace nz
