// Two ascending lists joined by windows of eight entries of each: one bitonic merge in registers puts their 16 in order,
// with no branch on how they interleave. What is not above the last of either window is in its final place: 8 to 16
// entries a step, all of a row that has no more on either side.
// Repeats of a place within a window are left to the loop entry by entry, which goes on from there. Those that a window's
// end parts need nothing: whichever comes first of each side has paired before.
#pragma once

#include "core/masked_lanes.hpp"
#include "kernels/ewise_arguments.hpp"

#include <algorithm>
#include <bit>

namespace nz::kernels::cpu {

/// Columns are below this where windows serve: four bits are left for lanes.
inline constexpr index_t window_columns = (index_t{1} << 28) - 1;

/// The next step of a row: up to eight entries of A and of B in order, A's before B's where equal.
template <class L>
struct window {
    offset_t from_a, from_b;         ///< how many of each are in their final order: the lanes that count
    std::uint32_t a_lanes, b_lanes;  ///< of the lists: what may be read
    typename L::sixteen entries;     ///< L::merged
    typename L::sixteen columns;
    std::uint32_t pairs;  ///< lanes of A's entries whose next lane is B's entry of the same place
    bool repeats;

    [[gnu::always_inline]] window(const index_t* a_columns, offset_t a_left, const index_t* b_columns,
                                  offset_t b_left)
        : from_a(std::min<offset_t>(a_left, 8)),
          from_b(std::min<offset_t>(b_left, 8)),
          a_lanes((1U << from_a) - 1),
          b_lanes((1U << from_b) - 1) {
        const auto a = L::load(a_columns, a_lanes, pad), b = L::load(b_columns, b_lanes, pad);
        if (a_left > 8 || b_left > 8) {
            const index_t last =
                std::min(a_left > 8 ? a_columns[7] : pad - 1, b_left > 8 ? b_columns[7] : pad - 1);
            from_a = std::popcount(L::at_most(a, last));
            from_b = std::popcount(L::at_most(b, last));
        }
        entries = L::merged(a, b);
        columns = L::sixteenth(entries);
        pairs = L::equal(columns, L::next(columns)) & (all() >> 1);
        const std::uint32_t b_entries = L::of_b(entries);
        repeats = (pairs & ~(~b_entries & b_entries >> 1)) != 0;
    }
    std::uint32_t all() const { return (1U << (from_a + from_b)) - 1; }

    /// The lanes that stay.
    template <set_operation Operation>
    std::uint32_t kept() const {
        using enum set_operation;
        if constexpr (Operation == unite) return all() & ~(pairs << 1);
        if constexpr (Operation == intersect) return pairs;
        if constexpr (Operation == subtract) return all() & ~(L::of_b(entries) | pairs);
        return all() & ~(pairs | pairs << 1);
    }

private:
    static constexpr index_t pad = window_columns;
};

/// The places common to both lists, from i and j on up to repeats or the ends; i and j are left there.
template <class L>
[[gnu::always_inline]] inline offset_t count_windows(const index_t* a, offset_t& i, offset_t a_end,
                                                     const index_t* b, offset_t& j, offset_t b_end) {
    offset_t common = 0;
    while (i < a_end && j < b_end) {
        const window<L> w(a + i, a_end - i, b + j, b_end - j);
        if (w.repeats) [[unlikely]]
            return common;
        common += std::popcount(w.pairs);
        i += w.from_a;
        j += w.from_b;
    }
    return common;
}

}  // namespace nz::kernels::cpu
