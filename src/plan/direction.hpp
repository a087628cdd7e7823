// The rule that changes between push and pull (yang2018, section 6.3), shared by every frontier algorithm.
#pragma once

#include "nonzero/plan.hpp"

namespace nz::plan {

/// r = nnz(f) / M against these. alpha = beta = 0.01 is the paper's choice; docs/measurements/bfs.md has its
/// regret (`nz bench bfs --table 1`).
struct direction_thresholds {
    double alpha = 0.01;  ///< push -> pull once r has risen past it
    double beta = 0.01;   ///< pull -> push once r has fallen past it
    /// A frontier whose rows hold more than this share of all entries is pulled however few it is: hubs. Measured on
    /// Kronecker graphs: docs/decisions/0006.
    double edge_share = 0.03;

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

/// What the rule looks at.
struct frontier_facts {
    offset_t size = 0, vertices = 0;
    offset_t edges = -1, entries = 0;  ///< in the frontier's rows, in all rows; edges -1: not counted

    constexpr double ratio() const {
        return vertices ? static_cast<double>(size) / static_cast<double>(vertices) : 0;
    }
    constexpr double edge_share() const {
        return edges > 0 ? static_cast<double>(edges) / static_cast<double>(entries) : 0;
    }
};

/// The direction for a frontier. Falling and rising count: a frontier that is large but shrinking does not start a
/// pull, one that is small but growing does not end it.
constexpr direction_choice choose_direction(const direction_state& state, const frontier_facts& f,
                                            const direction_thresholds& t, bool may_change) noexcept {
    const double r = f.ratio();
    const auto stay = [&](std::string_view why) { return direction_choice{{state.current, r}, r, why}; };
    if (!may_change) return stay("change of direction is off");
    const bool rises = r > state.previous_ratio, falls = r < state.previous_ratio;
    const bool hubs = f.edge_share() > t.edge_share;
    if (state.current == direction::push) {
        if (hubs && rises && r <= t.alpha)
            return {{direction::pull, r}, r, "the frontier's rows hold many of the entries"};
        if (r <= t.alpha) return stay("r is at most alpha: the frontier is small");
        if (!rises) return stay("r is past alpha but falls");
        return {{direction::pull, r}, r, "r has risen past alpha"};
    }
    if (r >= t.beta) return stay("r is at least beta: the frontier is large");
    if (!falls) return stay("r is below beta but rises");
    if (hubs) return stay("r is below beta, but the frontier's rows hold many of the entries");
    return {{direction::push, r}, r, "r has fallen past beta"};
}

}  // namespace nz::plan
