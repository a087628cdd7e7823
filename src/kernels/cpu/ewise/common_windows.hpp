// Two ascending lists joined by windows of eight entries of each: one bitonic merge in registers puts their 16 in order,
// with no branch on how they interleave. What is not above the last of either window is in its final place: 8 to 16
// entries a step, all of a row that has no more on either side.
// Repeats of a place within a window are left to the loop entry by entry. Those that a window's end parts need nothing:
// whichever comes first of each side has paired before.
#pragma once

#include "core/masked_lanes.hpp"
#include "kernels/ewise_arguments.hpp"

#include <algorithm>
#include <bit>

namespace nz::kernels::cpu {

/// Columns are below this where windows serve: four bits are left for lanes.
inline constexpr index_t window_columns = (index_t{1} << 28) - 1;

/// The next steps of a row: up to eight entries of A and of B in order, A's before B's where equal.
template <class L>
struct window {
    std::uint32_t from_a, from_b;  ///< how many of each are in their final order
    std::uint32_t of_a;            ///< a bit a step
    std::uint32_t pairs;  ///< the steps of A's entries whose next step is B's entry of the same place
    bool repeats;         ///< then neither holds

    [[gnu::always_inline]] window(const index_t* a, index_t a_left, const index_t* b, index_t b_left) {
        const auto left = L::halves(a_left, b_left);
        const auto both = L::lists(a, b, left, pad);
        merge(both, L::at_most(both, L::bound(both, left, pad - 1)));
    }
    /// Where both have more than eight: the next window's place is known sooner.
    [[gnu::always_inline]] window(const index_t* a, const index_t* b) {
        const auto both = L::lists(a, b);
        merge(both, L::at_most(both, L::halves(std::min(a[7], b[7]), std::min(a[7], b[7]))));
    }

private:
    static constexpr index_t pad = window_columns;
    [[gnu::always_inline]] void merge(const typename L::sixteen& both, std::uint32_t settled) {
        const auto entries_final = static_cast<std::uint32_t>(std::popcount(settled));
        from_a = static_cast<std::uint32_t>(std::popcount(settled & 0xff));
        from_b = static_cast<std::uint32_t>(std::popcount(settled >> 8));
        const auto entries = L::merged(both);
        const auto columns = L::sixteenth(entries);
        const std::uint32_t all = (1U << entries_final) - 1, of_b = L::of_second(entries);
        of_a = all & ~of_b;
        pairs = L::equal(columns, L::next(columns)) & (all >> 1);
        repeats = (pairs & ~(of_a & of_b >> 1)) != 0;
    }
};

/// All steps of a row that has up to four entries of A and of B; four of each are read. Each of A's is compared with each of
/// B's in one go: that is cheaper than to put them in order.
template <class L>
struct short_row {
    static constexpr index_t most = 4;
    std::uint32_t of_a, pairs;  ///< as a window's
    bool repeats;               ///< an entry of B is two of A's: then neither holds

    [[gnu::always_inline]] short_row(const index_t* a, index_t a_size, const index_t* b, index_t b_size) {
        const auto each = L::each_four_times(a), all = L::four_times(b);
        const std::uint32_t of_b = ((1U << b_size) - 1) * 0x1111, beyond = ~0U << (4 * a_size);
        // Bits 4 i to 4 i + 3: which of B's lie before A's i-th; before what A does not have, all.
        const std::uint32_t before = (L::above(each, all) | beyond) & of_b;
        const std::uint32_t equal = L::equal(each, all) & of_b & ~beyond;
        // B's before one of A's are the first k: so these bits and one more are 2^k.
        const std::uint32_t power = L::fours(before) + 0x01010101;
        of_a = joined(power) & ((1U << (a_size + b_size)) - 1);
        pairs = joined(power & L::fours(equal));
        repeats = (equal & equal >> 4) != 0;
    }

private:
    /// A's i-th entry, before which k of B's lie, is step i + k: byte i, shifted by i.
    static std::uint32_t joined(std::uint32_t bytes) {
        return (bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & 0xff;
    }
};

}  // namespace nz::kernels::cpu
