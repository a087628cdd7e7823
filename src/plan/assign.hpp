// How matrices and vectors are assigned to, and extracted from.
#pragma once

#include "nonzero/plan.hpp"

#include <string_view>

namespace nz::plan {

struct assign_scalar_facts {
    bool has_mask = false, complement = false;
};

/// Whether only the mask's own entries are visited. What lies outside the mask is not written, so the places
/// within it are enough, and C<M> = x costs the entries of M instead of rows x columns.
inline bool assigns_within_mask(const assign_scalar_facts& facts) noexcept {
    return facts.has_mask && !facts.complement;
}

inline operation_plan assign_scalar(const assign_scalar_facts& facts, std::string_view pinned) noexcept {
    const auto reason = assigns_within_mask(facts) ? "the scalar goes to the mask's own entries"
                                                   : "the scalar goes to every listed place";
    if (pinned == "reference") return {"assign", "reference", tier::generic, reason};
    return {"assign", "rows", tier::compiled, reason};
}

inline operation_plan assign(std::string_view pinned) noexcept {
    if (pinned == "reference")
        return {"assign", "reference", tier::generic, "entries spread over the output's shape, one thread"};
    return {"assign", "rows", tier::compiled,
            "rows spread over the output's shape, then put in the region's place"};
}

/// A list so many times shorter than the vector is gone through in place of the vector.
inline constexpr offset_t much_shorter = 16;
/// Whether places of a vector are moved by a pass over them. Of a sparse one, where the list is much shorter, they are searched for.
inline bool moves_places(bool sparse, offset_t size, offset_t listed) noexcept {
    return !sparse || listed * much_shorter >= size;
}

/// Whether so few places of a vector that is not sparse are written that a pass over it would cost more than going to each.
inline bool goes_to_places(offset_t size, offset_t listed) noexcept { return listed * much_shorter <= size; }

/// The same where a GPU has done it.
inline operation_plan on_gpu(operation_plan plan, std::size_t moved_bytes) noexcept {
    plan.on_device = true;
    plan.moved_bytes = moved_bytes;
    return plan;
}

}  // namespace nz::plan
