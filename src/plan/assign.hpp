// Where a scalar that is assigned to a matrix is spread out.
#pragma once

#include "nonzero/plan.hpp"

namespace nz::plan {

struct assign_scalar_facts {
    bool has_mask = false, complement = false;
};

/// Whether only the mask's own entries are visited. What lies outside the mask is not written, so the places
/// within it are enough, and C<M> = x costs the entries of M instead of rows x columns.
inline bool assigns_within_mask(const assign_scalar_facts& facts) noexcept {
    return facts.has_mask && !facts.complement;
}

inline operation_plan assign_scalar(const assign_scalar_facts& facts) noexcept {
    return {"assign", "reference", tier::generic,
            assigns_within_mask(facts) ? "the scalar goes to the mask's own entries"
                                       : "the scalar goes to every listed place"};
}

}  // namespace nz::plan
