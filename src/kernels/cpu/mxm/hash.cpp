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

class counter {
public:
    counter(const mxm_arguments& k, int t)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::hash_workspace(k.most_products, k.columns, k.value_bytes) *
                     static_cast<std::size_t>(t)),
          table_(parts_, k),
          slots_(after_sums(parts_, k, table_).take<std::uint32_t>(table_.most())),
          ahead_(k, 0) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) k_.counts[i] = static_cast<index_t>(count(i));
    }

private:
    static plan::workspace_parts& after_sums(plan::workspace_parts& parts, const mxm_arguments& k,
                                             const key_table& table) {
        parts.take<std::byte>(plan::table_slots(table.most()) * static_cast<offset_t>(k.value_bytes));
        return parts;
    }

    offset_t count(index_t i) {
        const span_of_row a = row_of(k_.a.offsets, i);
        if (a.size() <= short_row) {
            for (offset_t p = a.begin; p < a.end; ++p) ahead_(p);
            return count_short_row(k_, a);
        }
        table_.size_for(k_.products[i + offset_t{1}] - k_.products[i]);
        offset_t n = 0;
        for (offset_t p = a.begin; p < a.end; ++p) {
            ahead_(p);
            const span_of_row b = row_of(k_.b.offsets, k_.a.columns[p]);
            for (offset_t q = b.begin; q < b.end; ++q)
                table_.slot_of(k_.b.columns[q], [&](std::uint32_t made) { slots_[n++] = made; });
        }
        for (offset_t m = 0; m < n; ++m) table_.release(slots_[m]);
        return n;
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    key_table table_;
    std::uint32_t* slots_;
    rows_ahead ahead_;
};

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
