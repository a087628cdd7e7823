#include "kernels/cpu/mxm/two_level_sort.hpp"

#include <bit>

namespace nz::kernels::cpu {
namespace two_level_detail {
namespace {

// Digits of a radix pass: 256 counters of 4 bytes stay in the first-level cache.
constexpr int digit_bits = 8, digits = 1 << digit_bits;

// Moves n keys by the digit at `shift`.
void radix_pass(const std::uint64_t* from, std::uint64_t* to, offset_t n, int shift) {
    std::uint32_t starts[digits] = {};
    for (offset_t i = 0; i < n; ++i) ++starts[from[i] >> shift & (digits - 1)];
    std::uint32_t running = 0;
    for (auto& s : starts) running += std::exchange(s, running);
    for (offset_t i = 0; i < n; ++i) to[starts[from[i] >> shift & (digits - 1)]++] = from[i];
}

class counter {
public:
    counter(const mxm_arguments& k, int t)
        : k_(k), parts_(parts_of(k, t)), keys_(k, parts_), spread_(k, after_products(parts_, k)) {}

    void operator()(index_t first, index_t last) {
        for_tiles(
            k_, first, last, keys_,
            [&](index_t i, index_t end, const tile&) {
                std::fill(k_.counts + i, k_.counts + end, 0);
                for (offset_t n = 0; n < keys_.size(); ++n)
                    if (n == 0 || !tile_keys::same_place(keys_[n], keys_[n - 1]))
                        ++k_.counts[keys_.row(keys_[n])];
            },
            [&](index_t row) {
                k_.counts[row] = static_cast<index_t>(spread_.collect(k_, keys_, row).size());
            });
    }

private:
    static plan::workspace_parts& after_products(plan::workspace_parts& parts, const mxm_arguments& k) {
        parts.take<std::byte>(tile_products * static_cast<offset_t>(k.value_bytes));
        return parts;
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    tile_keys keys_;
    spread_columns spread_;
};

}  // namespace

tile_start tile_keys::sort(const tile& of) {
    size_ = of.products;
    first_row_ = of.start.row;
    index_t low = k_.columns, high = 0, last_row = first_row_;
    const tile_start next = for_products(k_, of, [&](index_t row, offset_t, offset_t q, offset_t n) {
        low = std::min(low, k_.b.columns[q]);
        high = std::max(high, k_.b.columns[q + n - 1]);
        last_row = row;
    });
    low_ = low;
    column_bits_ = std::bit_width(static_cast<std::uint32_t>(std::max(high - low, 0)));
    key* out = keys_;
    key number = 0;
    for_products(k_, of, [&](index_t row, offset_t, offset_t q, offset_t n) {
        const key base = static_cast<key>(row - first_row_) << column_bits_;
        for (offset_t m = 0; m < n; ++m)
            *out++ = (base | static_cast<key>(k_.b.columns[q + m] - low)) << tile_bits | number++;
    });
    const int bits =
        tile_bits + column_bits_ + std::bit_width(static_cast<std::uint32_t>(last_row - first_row_));
    for (int shift = tile_bits; shift < bits; shift += digit_bits) {
        radix_pass(keys_, spare_, size_, shift);
        std::swap(keys_, spare_);
    }
    return next;
}

spread_columns::spread_columns(const mxm_arguments& k, plan::workspace_parts& parts) {
    const offset_t most = plan::spread_products(k.most_products), lists = plan::spread_tiles(k.most_products);
    columns_ = parts.take<index_t>(most);
    spare_ = parts.take<index_t>(most);
    starts_ = parts.take<offset_t>(lists);
    next_starts_ = parts.take<offset_t>(lists);
}

std::span<const index_t> spread_columns::collect(const mxm_arguments& k, tile_keys& keys, index_t row) {
    offset_t lists = 0, n = 0;
    for_tiles_of_row(k, row, [&](const tile& of) {
        const tile_start next = keys.sort(of);
        starts_[lists++] = n;
        for (offset_t m = 0; m < keys.size(); ++m)
            if (m == 0 || !tile_keys::same_place(keys[m], keys[m - 1])) columns_[n++] = keys.column(keys[m]);
        return next;
    });
    starts_[lists] = n;
    for (; lists > 1; lists = (lists + 1) / 2) merge_pairs(lists);
    return {columns_, static_cast<std::size_t>(starts_[1])};
}

void spread_columns::merge_pairs(offset_t lists) {
    index_t* out = spare_;
    offset_t merged = 0;
    for (offset_t m = 0; m < lists; m += 2) {
        next_starts_[merged++] = out - spare_;
        const index_t *begin = columns_ + starts_[m], *middle = columns_ + starts_[m + 1],
                      *end = m + 1 < lists ? columns_ + starts_[m + 2] : middle;
        out = std::set_union(begin, middle, middle, end, out);
    }
    next_starts_[merged] = out - spare_;
    std::swap(columns_, spare_);
    std::swap(starts_, next_starts_);
}

index_t* spread_columns::flags(offset_t n) {
    std::fill_n(spare_, n, 0);
    return spare_;
}

}  // namespace two_level_detail

void two_level_sort_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return two_level_detail::counter(k, t); });
}

}  // namespace nz::kernels::cpu
