// Which kernel multiplies two matrices.
#pragma once

#include "nonzero/plan.hpp"

#include <string_view>

namespace nz::plan {

struct mxm_facts {
    std::string_view pinned;  ///< empty, or an id that exists
};

inline operation_plan mxm(const mxm_facts& facts) noexcept {
    if (facts.pinned == "reference") return {"mxm", "reference", tier::generic, "pinned"};
    if (facts.pinned == "row_row") return {"mxm", "row_row", tier::generic, "pinned"};
    return {"mxm", "row_row", tier::generic,
            "row by row in a hash table; the mask is applied when writing back"};
}

}  // namespace nz::plan
