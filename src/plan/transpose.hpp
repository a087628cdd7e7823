// Where the transpose of a matrix comes from.
#pragma once

#include "nonzero/plan.hpp"

#include <string_view>

namespace nz::plan {

struct transpose_facts {
    std::string_view pinned;        ///< empty, or an id that exists
    bool transposed_twice = false;  ///< the input is asked for as its transpose: the result is the input
    bool at_hand = false;           ///< the representation that is the result is there already
    bool on_device = false;         ///< the context has a GPU, and the entries are few enough for it
    bool away = false;              ///< a GPU alone has the input
};

inline operation_plan transpose(const transpose_facts& facts) noexcept {
    if (facts.pinned == "reference") return {"transpose", "reference", tier::generic, "pinned"};
    if (facts.on_device && !facts.transposed_twice && (facts.away || !facts.at_hand))
        return {"transpose", "convert", tier::compiled,
                facts.at_hand ? "the representation is there already" : "entries sorted by column", true};
    if (facts.transposed_twice || facts.at_hand)
        return {"transpose", "convert", tier::compiled, "the representation is there already and is copied"};
    return {"transpose", "convert", tier::compiled, "counting sort by column"};
}

}  // namespace nz::plan
