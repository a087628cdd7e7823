// plan::components: which kernel labels components, and whether it may pass over edges.
#pragma once

#include "nonzero/types.hpp"

#include <string_view>

namespace nz::plan {

struct components_facts {
    bool symmetric = false;      ///< the matrix is known to be its transpose
    bool columns_ready = false;  ///< the other direction of its edges is at hand
    std::string_view pinned{};
};

struct components_plan {
    std::string_view kernel;
    bool reads_columns =
        false;  ///< edges of both directions, so that those of the largest component are passed over
    std::string_view reason;

    friend bool operator==(const components_plan&, const components_plan&) = default;
};

/// Building the other direction costs about eight reads of the edges, linking all of them about one.
constexpr components_plan components(const components_facts& f) noexcept {
    const bool both = f.symmetric || f.columns_ready;
    components_plan plan{f.pinned.empty() ? "afforest" : f.pinned, false, "pinned"};
    if (plan.kernel == "afforest") plan.reads_columns = both;
    if (f.pinned.empty())
        plan.reason = both ? "edges within the largest component are passed over"
                           : "one direction of the edges is at hand: all of them are linked";
    return plan;
}

}  // namespace nz::plan
