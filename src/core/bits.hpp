// Bitmaps: bit i of word i / 64. Presence of vector entries, masks, frontiers and visited sets.
#pragma once

#include "nonzero/types.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace nz::bits {

using word = std::uint64_t;
inline constexpr int per_word = 64;

constexpr std::size_t words_for(offset_t size) {
    return (static_cast<std::size_t>(size) + per_word - 1) / per_word;
}
inline bool test(const word* w, offset_t i) { return w[i >> 6] >> (i & 63) & 1; }
inline void set(word* w, offset_t i) { w[i >> 6] |= word{1} << (i & 63); }
inline void reset(word* w, offset_t i) { w[i >> 6] &= ~(word{1} << (i & 63)); }
/// The bits of word k that stand for positions below `size`.
constexpr word valid(offset_t size, std::size_t k) {
    const offset_t left = size - static_cast<offset_t>(k) * per_word;
    return left >= per_word ? ~word{0} : left <= 0 ? word{0} : (word{1} << left) - 1;
}
inline offset_t count(const word* w, offset_t size) {
    offset_t total = 0;
    for (std::size_t k = 0; k < words_for(size); ++k) total += std::popcount(w[k] & valid(size, k));
    return total;
}
/// Calls f(i) for each set bit of one word, ascending.
template <class F>
inline void for_each(word w, offset_t first, F&& f) {
    for (; w; w &= w - 1) f(first + std::countr_zero(w));
}

}  // namespace nz::bits
