#include "kernels/cpu/mxm/dia_dia.hpp"

#include <cstdlib>

namespace nz::kernels::cpu {
namespace dia_dia_detail {
namespace {

// Fewer rows than that are not worth a tile.
constexpr index_t least_rows = 16;
// Rows of A with fewer entries are hash's: copied or merged.
constexpr index_t least_diagonals = 3;

// Whether row i of `m` has the diagonals of the row before.
bool goes_on(const mxm_side& m, offset_t i) {
    const offset_t before = m.offsets[i - 1], begin = m.offsets[i], end = m.offsets[i + 1];
    if (end - begin != begin - before) return false;
    bool differs = false;  // without branches, for the vector unit
    for (offset_t k = 0; k < end - begin; ++k) differs |= m.columns[begin + k] != m.columns[before + k] + 1;
    return !differs;
}

// Lanes beyond a cluster's rows are read and dropped; an odd number of lines keeps diagonals apart in the cache.
offset_t stride_of(index_t rows) { return ((offset_t{rows} + dia_lanes + 7) / 8 | 1) * 8; }

class counter {
public:
    counter(const mxm_arguments& k, int t)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::dia_dia_workspace(k.most_products, k.columns, k.value_bytes) *
                     static_cast<std::size_t>(t)),
          tile_(k),
          other_(k, parts_) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last;) {
            if (!tile_.find(i, last)) {
                other_(i, i + 1);
                ++i;
                continue;
            }
            std::fill_n(k_.counts + i, tile_.rows(), static_cast<index_t>(tile_.c_shifts().size()));
            i += tile_.rows();
        }
    }

private:
    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    band_tile tile_;
    hash_detail::counter other_;
};

}  // namespace

bool band_tile::find(index_t i, index_t last) {
    if (!read_a(i, last)) return false;
    // A row of B that breaks the band shortens the tile; what is left is looked at again.
    while (rows_ >= least_rows) {
        const index_t tried = rows_;
        const bool same = read_b();
        if (rows_ == tried) return same && (met_ || meet());
    }
    return false;
}

bool band_tile::read_a(index_t i, index_t last) {
    const span_of_row a = row_of(k_.a.offsets, i);
    if (a.size() < least_diagonals || a.size() > dia_most || last - i < least_rows) return false;
    index_t end = i + 1;
    const index_t limit = i + std::min(last - i, dia_tile_rows);
    while (end < limit && goes_on(k_.a, end)) ++end;
    first_ = i;
    rows_ = end - i;
    if (rows_ < least_rows) return false;
    const auto n = static_cast<index_t>(a.size());
    bool same = met_ && n == a_count_;
    for (index_t d = 0; d < n; ++d) {
        const index_t shift = k_.a.columns[a.begin + d] - i;
        same = same && a_shifts_[static_cast<std::size_t>(d)] == shift;
        a_shifts_[static_cast<std::size_t>(d)] = shift;
    }
    a_count_ = n;
    met_ = same;
    return true;
}

// The rows of B that the tile reads, in runs; shortens rows_ where one of them is no band.
bool band_tile::read_b() {
    offset_t room = 0;
    const index_t clusters_before = cluster_count_;
    cluster_count_ = list_end_ = 0;
    for (index_t d = 0; d < a_count_;) {
        const index_t begin = first_ + a_shift(d);
        offset_t end = begin;  // rows of B looked at so far
        index_t next = d;
        for (; next < a_count_ && (next == d || first_ + a_shift(next) < end); ++next) {
            const offset_t wanted = offset_t{first_} + a_shift(next) + rows_;
            for (; end < wanted; ++end)
                if (end > begin && !goes_on(k_.b, end)) {
                    // Row `end` is the first that differs: every diagonal that reaches it stops before.
                    rows_ = static_cast<index_t>(end - first_ - a_shift(next));
                    met_ = false;
                    return false;
                }
            a_cluster_[static_cast<std::size_t>(next)] = static_cast<std::uint8_t>(cluster_count_);
        }
        const auto rows = static_cast<index_t>(end - begin);
        const span_of_row b = row_of(k_.b.offsets, begin);
        const cluster c{a_shift(d), rows,           b.begin, list_end_, static_cast<index_t>(b.size()),
                        room,       stride_of(rows)};
        room += c.diagonals * c.stride;
        if (b.size() > dia_most || room > dia_b_values || !take_cluster(c)) {
            met_ = false;
            return false;
        }
        d = next;
    }
    met_ = met_ && cluster_count_ == clusters_before;
    return true;
}

// Adds a cluster with its diagonals; whether there is room. What was met before stands while all are as they were.
bool band_tile::take_cluster(cluster c) {
    const auto n = static_cast<std::size_t>(cluster_count_), at = static_cast<std::size_t>(c.lists);
    if (at + static_cast<std::size_t>(c.diagonals) > b_shifts_.size()) return false;
    const cluster& before = clusters_[n];
    bool same = met_ && before.lists == c.lists && before.diagonals == c.diagonals && before.shift == c.shift;
    const index_t row = first_ + c.shift;
    for (index_t d = 0; d < c.diagonals; ++d) {
        const index_t shift = k_.b.columns[c.entry + d] - row;
        index_t& kept = b_shifts_[at + static_cast<std::size_t>(d)];
        same = same && kept == shift;
        kept = shift;
    }
    met_ = same;
    clusters_[n] = c;
    list_end_ += c.diagonals;
    ++cluster_count_;
    return true;
}

// The diagonals of C, ascending, and the pairs for each; whether there is at least one and room for all.
bool band_tile::meet() {
    struct product {
        index_t shift;
        pair of;
    };
    std::array<product, dia_most * dia_most> all;
    std::size_t n = 0;
    for (index_t d = 0; d < a_count_; ++d) {
        const std::uint8_t number = a_cluster_[static_cast<std::size_t>(d)];
        const cluster& c = clusters_[number];
        for (index_t e = 0; e < c.diagonals; ++e)
            all[n++] = {a_shift(d) + b_shifts_[static_cast<std::size_t>(c.lists + e)],
                        {static_cast<std::uint8_t>(d), number, static_cast<std::uint8_t>(e)}};
    }
    // Within a diagonal of C by that of A: the order of k.
    std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n),
              [](const product& x, const product& y) {
                  return x.shift != y.shift ? x.shift < y.shift : x.of.a < y.of.a;
              });
    c_count_ = 0;
    for (std::size_t m = 0; m < n; ++m) {
        if (m == 0 || all[m].shift != all[m - 1].shift) {
            if (c_count_ == dia_most_c) return false;
            c_shifts_[static_cast<std::size_t>(c_count_)] = all[m].shift;
            starts_[static_cast<std::size_t>(c_count_++)] = static_cast<std::int32_t>(m);
        }
        pairs_[m] = all[m].of;
    }
    starts_[static_cast<std::size_t>(c_count_)] = static_cast<std::int32_t>(n);
    met_ = n > 0;
    return met_;
}

}  // namespace dia_dia_detail

void dia_dia_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return dia_dia_detail::counter(k, t); });
}

double dia_dia_share(const mxm_arguments& k) {
    constexpr index_t samples = 32;
    dia_dia_detail::band_tile tile(k);
    offset_t inside = 0, seen = 0;
    for (index_t s = 0; s < samples; ++s) {
        const auto first = static_cast<index_t>(offset_t{k.rows} * (2 * s + 1) / (2 * samples));
        const index_t last = first + std::min<index_t>(k.rows - first, dia_dia_detail::dia_tile_rows);
        for (index_t i = first; i < last; ++seen) {
            const index_t rows = tile.find(i, last) ? tile.rows() : 0;
            inside += rows;
            seen += rows ? rows - 1 : 0;
            i += std::max<index_t>(rows, 1);
        }
    }
    return seen ? static_cast<double>(inside) / static_cast<double>(seen) : 0;
}

}  // namespace nz::kernels::cpu
