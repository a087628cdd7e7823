// Where the transpose of a matrix comes from.
#pragma once

#include "nonzero/plan.hpp"

#include <string_view>

namespace nz::plan {

struct transpose_facts {
    std::string_view pinned;        ///< empty, or an id that exists
    bool transposed_twice = false;  ///< the input is asked for as its transpose: the result is the input
    bool at_hand = false;           ///< the representation that is the result is there already
};

inline operation_plan transpose(const transpose_facts& facts) noexcept {
    if (facts.pinned == "reference") return {"transpose", "reference", tier::generic, "pinned"};
    if (facts.transposed_twice || facts.at_hand)
        return {"transpose", "convert", tier::compiled, "the representation is there already and is copied"};
    return {"transpose", "convert", tier::compiled, "counting sort by column"};
}

}  // namespace nz::plan
