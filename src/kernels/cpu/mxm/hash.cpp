#include "kernels/cpu/mxm/hash.hpp"

namespace nz::kernels::cpu {
namespace hash_detail {
namespace {

// Up to here moving the larger ones up beats counting digits: a first-level cache line holds eight places.
constexpr offset_t insertion_places = 24;
// Digits of a radix pass: 256 counters of 4 bytes stay in the first-level cache beside the places.
constexpr int digit_bits = 8, digits = 1 << digit_bits;

void sort_by_insertion(place* places, offset_t n) {
    for (offset_t i = 1; i < n; ++i) {
        const place x = places[i];
        offset_t at = i;
        for (; at > 0 && places[at - 1] > x; --at) places[at] = places[at - 1];
        places[at] = x;
    }
}

// One pass over bits [shift, shift + digit_bits); whether it had more than one digit.
bool radix_pass(const place* from, place* to, offset_t n, int shift) {
    std::uint32_t starts[digits] = {};
    for (offset_t i = 0; i < n; ++i) ++starts[from[i] >> shift & (digits - 1)];
    if (starts[from[0] >> shift & (digits - 1)] == static_cast<std::uint32_t>(n)) return false;
    std::uint32_t running = 0;
    for (auto& s : starts) running += std::exchange(s, running);
    for (offset_t i = 0; i < n; ++i) to[starts[from[i] >> shift & (digits - 1)]++] = from[i];
    return true;
}

}  // namespace

void sort_places(place* places, place* spare, offset_t n) {
    if (n <= insertion_places) return sort_by_insertion(places, n);
    place every = 0;
    for (offset_t i = 0; i < n; ++i) every |= places[i];
    place *from = places, *to = spare;
    for (int shift = 32; shift < 64 && every >> shift; shift += digit_bits)
        if (radix_pass(from, to, n, shift)) std::swap(from, to);
    if (from != places) std::copy_n(from, n, places);
}

}  // namespace hash_detail

void hash_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return hash_detail::counter(k, t); });
}

}  // namespace nz::kernels::cpu
