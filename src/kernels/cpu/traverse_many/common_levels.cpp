#include "kernels/cpu/traverse_many/common_levels.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace nz::kernels::cpu::many {
namespace {

constexpr offset_t side = bits::per_word;
constexpr offset_t squares = 8;                // 64 x 8 vertices: 2 KiB of one source's levels at a time
constexpr offset_t turn = 8 * squares * side;  // vertices that a thread takes at a time

// Masks in place of shifts, which differ from lane to lane: every vector unit compares.
constexpr auto bit = [] {
    std::array<std::uint32_t, 32> all{};
    for (unsigned i = 0; i < 32; ++i) all[i] = 1u << i;
    return all;
}();

// Bit b of word k becomes bit k of word b.
void transpose(bits::word (&square)[side]) {
    bits::word low = 0xffffffffu;
    for (unsigned half = side / 2; half; half /= 2, low ^= low << half)
        for (unsigned k = 0; k < side; k += 2 * half)
            for (unsigned i = k; i < k + half; ++i) {
                const bits::word swap = (square[i] >> half ^ square[i + half]) & low;
                square[i] ^= swap << half;
                square[i + half] ^= swap;
            }
}

}  // namespace

/// Of 64 vertices, for each source: which have a level now, and its digits.
struct level_digits::square {
    int used = 0;
    bits::word any = 0, found[side], digit[plan::level_digits][side];
};

void level_digits::begin_level(int threads) {
    ++number_;
    if (!std::has_single_bit(number_)) return;
    bits::word* const digit = digits_ + offset_t{a_.vertices} * std::countr_zero(number_);
    parallel::for_pieces(threads, a_.vertices,
                         [&](offset_t begin, offset_t end) { std::fill(digit + begin, digit + end, 0); });
}

void level_digits::write(const bits::word* seen, int threads) {
    parallel::for_chunks(threads, a_.vertices, turn, [&](offset_t begin, offset_t end) {
        square row[squares];
        for (offset_t first = begin; first < end; first += squares * side) {
            const offset_t last = std::min(end, first + squares * side);
            for (offset_t v = first; v < last; v += side)
                read(row[(v - first) / side], seen, v, std::min(side, last - v));
            for (std::size_t s = 0; s < a_.sources.size(); ++s)
                for (offset_t v = first; v < last; v += side) {
                    const square& q = row[(v - first) / side];
                    if (first_)
                        write_all(q, s, v, std::min(side, last - v));
                    else if (q.any)
                        write_found(q, s, v);
                }
        }
    });
    first_ = false;
    base_ += static_cast<std::int32_t>(number_);
    number_ = 0;
}

void level_digits::read(square& q, const bits::word* seen, offset_t first, offset_t count) const {
    q.used = std::bit_width(number_);
    q.any = 0;
    std::fill_n(q.found, side, bits::word{0});
    for (int k = 0; k < q.used; ++k) {
        const bits::word* const from = digits_ + offset_t{a_.vertices} * k + first;
        std::fill(std::copy_n(from, count, q.digit[k]), q.digit[k] + side, bits::word{0});
        for (offset_t i = 0; i < side; ++i) q.found[i] |= q.digit[k][i];
    }
    for (const bits::word found : q.found) q.any |= found;
    if (first_) std::copy_n(seen + first, count, q.found);
    if (!first_ && !q.any) return;
    transpose(q.found);
    for (int k = 0; k < q.used; ++k) transpose(q.digit[k]);
}

void level_digits::write_all(const square& q, std::size_t s, offset_t first, offset_t count) const {
    std::int32_t level[side];
    for (offset_t half = 0; half < side; half += 32) {
        std::int32_t* const out = level + half;
        const auto found = static_cast<std::uint32_t>(q.found[s] >> half);
        for (int i = 0; i < 32; ++i) out[i] = found & bit[i] ? 0 : -1;
        for (int k = 0; k < q.used; ++k) {
            const auto digit = static_cast<std::uint32_t>(q.digit[k][s] >> half);
            for (int i = 0; i < 32; ++i) out[i] |= digit & bit[i] ? 1 << k : 0;
        }
    }
    std::copy_n(level, count, a_.levels[s] + first);
}

void level_digits::write_found(const square& q, std::size_t s, offset_t first) const {
    bits::for_each(q.found[s], 0, [&](offset_t i) {
        std::int32_t level = base_;
        for (int k = 0; k < q.used; ++k) level += static_cast<std::int32_t>(q.digit[k][s] >> i & 1) << k;
        a_.levels[s][first + i] = level;
    });
}

}  // namespace nz::kernels::cpu::many
