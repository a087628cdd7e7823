// The rule that changes between push and pull (yang2018, section 6.3), shared by every frontier algorithm.
#pragma once

#include "nonzero/plan.hpp"

namespace nz::plan {

/// r = nnz(f) / M against these. alpha = beta = 0.01 is the paper's choice; docs/measurements.md has its
/// regret (`nz bench bfs --table 1`).
struct direction_thresholds {
    double alpha = 0.01;  ///< push -> pull once r has risen past it
    double beta = 0.01;   ///< pull -> push once r has fallen past it

    friend bool operator==(const direction_thresholds&, const direction_thresholds&) = default;
};

/// What the rule remembers from level to level; a value that is passed in and returned.
struct direction_state {
    direction current = direction::push;
    double previous_ratio = 0;
};

struct direction_choice {
    direction_state next;  ///< next.current is the direction to take now
    double ratio = 0;
    std::string_view reason;
};

/// The direction for a frontier of `frontier` out of `vertices`. Falling and rising count: a frontier that is
/// large but shrinking does not start a pull, one that is small but growing does not end it.
constexpr direction_choice choose_direction(const direction_state& state, offset_t frontier,
                                            offset_t vertices, const direction_thresholds& t,
                                            bool may_change) noexcept {
    const double r = vertices ? static_cast<double>(frontier) / static_cast<double>(vertices) : 0;
    const auto stay = [&](std::string_view why) { return direction_choice{{state.current, r}, r, why}; };
    if (!may_change) return stay("change of direction is off");
    const bool rises = r > state.previous_ratio, falls = r < state.previous_ratio;
    if (state.current == direction::push) {
        if (r <= t.alpha) return stay("r is at most alpha: the frontier is small");
        if (!rises) return stay("r is past alpha but falls");
        return {{direction::pull, r}, r, "r has risen past alpha"};
    }
    if (r >= t.beta) return stay("r is at least beta: the frontier is large");
    if (!falls) return stay("r is below beta but rises");
    return {{direction::push, r}, r, "r has fallen past beta"};
}

}  // namespace nz::plan
