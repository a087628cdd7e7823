// Two ascending lists joined by windows of eight entries of each: one bitonic merge in registers puts their 16 in order,
// with no branch on how they interleave. What is not above the last of either window is in its final place: 8 to 16
// entries a step, all of a row that has no more on either side.
// Repeats of a place within a window are left to the loop entry by entry. Those that a window's end parts need nothing:
// whichever comes first of each side has paired before.
#pragma once

#include "core/masked_lanes.hpp"
#include "kernels/ewise_arguments.hpp"
#include "plan/ewise.hpp"

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

/// Rows of a block that have up to four entries of A and of B. Each of A's is compared with each of B's in one go, which is
/// cheaper than to put them in order, and what follows from that is worked out for sixteen rows at a time.
struct short_rows {
    static constexpr index_t most = 4, lanes = 16, room = plan::ewise_block_rows + lanes;
    index_t size = 0;
    index_t row[room] = {}, i[room] = {}, j[room] = {};  ///< where their entries begin
    index_t a_size[room] = {}, b_size[room] = {};
    std::uint32_t of_a[room] = {}, pairs[room] = {};  ///< as a window's

    /// Takes those of sixteen rows from `first` on that are picked.
    template <class L>
    void add(index_t first, typename L::sixteen a_begin, typename L::sixteen a, typename L::sixteen b_begin,
             typename L::sixteen b, typename L::mask picked) {
        L::store_picked(row + size, L::counted_from(first), picked);
        L::store_picked(i + size, a_begin, picked);
        L::store_picked(j + size, b_begin, picked);
        L::store_picked(a_size + size, L::difference(a, a_begin), picked);
        L::store_picked(b_size + size, L::difference(b, b_begin), picked);
        size += std::popcount(picked);
    }
    /// Reads four entries of each side of each row. False where one of B's is two of A's: then nothing holds.
    template <class L>
    bool walk(const index_t* a, const index_t* b) {
        for (index_t k = 0; k < size; ++k) {
            const auto each = L::each_four_times(a + i[k]), all = L::four_times(b + j[k]);
            above_[k] = static_cast<std::uint16_t>(L::above(each, all));
            equal_[k] = static_cast<std::uint16_t>(L::equal(each, all));
        }
        L::store(a_size + size, L::zeros());  // to whole lanes
        std::uint32_t repeats = 0;
        for (index_t first = 0; first < size; first += lanes)
            for (index_t k = first; k < first + lanes; ++k) {
                const std::uint32_t of_b = ((1U << b_size[k]) - 1) * 0x1111, beyond = ~0U << (4 * a_size[k]);
                // Bits 4 m to 4 m + 3: which of B's lie before A's m-th; before what A does not have, all.
                const std::uint32_t before = (above_[k] | beyond) & of_b, equal = equal_[k] & of_b & ~beyond;
                // B's before one of A's are the first n: so these bits and one more are 2^n.
                const std::uint32_t power = fours(before) + 0x01010101;
                of_a[k] = joined(power) & ((1U << (a_size[k] + b_size[k])) - 1);
                pairs[k] = joined(power & fours(equal));
                repeats |= equal & equal >> 4;
            }
        return repeats == 0;
    }

private:
    /// The four bits of each four of sixteen, lowest first, in a byte of their own.
    static constexpr std::uint32_t fours(std::uint32_t bits) {
        bits = (bits | bits << 8) & 0x00ff00ff;
        return (bits | bits << 4) & 0x0f0f0f0f;
    }
    /// A's m-th entry, before which n of B's lie, is step m + n: byte m, shifted by m.
    static constexpr std::uint32_t joined(std::uint32_t bytes) {
        return (bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & 0xff;
    }
    std::uint16_t above_[room] = {}, equal_[room] = {};
};

}  // namespace nz::kernels::cpu
