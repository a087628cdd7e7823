#include "kernels/cpu/mxm/dia_dia.hpp"

#include <algorithm>
#include <utility>

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

class counter {
public:
    counter(const mxm_arguments& k, int t)
        : k_(k), parts_(part_of(k, t)), follows_(k, parts_), tile_(k, follows_), other_(k, parts_) {}

    void operator()(index_t first, index_t last) {
        for (index_t i = first; i < last;) {
            if (!tile_.find(i, last)) {
                other_(i, i + tile_.in_vain());
                i += tile_.in_vain();
                continue;
            }
            std::fill_n(k_.counts + i, tile_.rows(), static_cast<index_t>(tile_.c_shifts().size()));
            i += tile_.rows();
        }
    }

private:
    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    rows_that_follow follows_;
    band_tile tile_;
    hash_detail::counter other_;
};

}  // namespace

offset_t turned_rows::make_room(const cluster& c) {
    const offset_t values = c.values();
    for (bool wrapped = false;;) {
        if (next_ + values > dia_b_values) {
            if (wrapped) return -1;
            wrapped = true;
            next_ = 0;
        }
        const auto all = std::span(held_).first(count_);
        const auto meets = [&](const held& h) { return h.at < next_ + values && next_ < h.at + h.values; };
        const auto used =
            std::ranges::find_if(all, [&](const held& h) { return meets(h) && h.tile == tile_; });
        if (used != all.end()) {
            next_ = used->at + used->values;
            continue;
        }
        const auto keeps = [&](const held& h) {
            return h.tile == tile_ || (!meets(h) && count_ < held_.size());
        };
        count_ = static_cast<std::size_t>(std::partition(all.begin(), all.end(), keeps) - all.begin());
        held_[count_++] = {c.entry, next_, values, tile_, c.rows, c.diagonals};
        return std::exchange(next_, next_ + values);
    }
}

bool rows_that_follow::looked_at(offset_t i) const { return goes_on(k_.b, i); }

bool band_tile::pattern::operator==(const pattern& other) const {
    const auto same = [](const auto& x, const auto& y, index_t n) {
        return std::equal(x.begin(), x.begin() + n, y.begin());
    };
    return a_count == other.a_count && clusters == other.clusters &&
           same(a_shifts, other.a_shifts, a_count) && same(a_cluster, other.a_cluster, a_count) &&
           same(lists, other.lists, clusters + 1) &&
           same(b_shifts, other.b_shifts, lists[static_cast<std::size_t>(clusters)]);
}

bool band_tile::find(index_t i, index_t last) {
    if (!read_a(i, last)) return false;
    // A row of B that breaks the band shortens the tile, and so do rows of B that do not fit; what is left is looked at again.
    while (rows_ >= least_rows) {
        const index_t tried = rows_;
        const bool taken = read_b();
        if (rows_ != tried) continue;
        if (!taken || (c_count_ > 0 && now_ == met_)) return taken;
        if (meet()) return true;
        in_vain_ = rows_;  // whose diagonals meet alike
        return false;
    }
    return false;
}

bool band_tile::read_a(index_t i, index_t last) {
    in_vain_ = 1;
    const span_of_row a = row_of(k_.a.offsets, i);
    if (a.size() < least_diagonals || a.size() > dia_most || last - i < least_rows) return false;
    index_t end = i + 1;
    const index_t limit = i + std::min(last - i, dia_tile_rows);
    while (end < limit && (same_ ? follows_(end) : goes_on(k_.a, end))) ++end;
    first_ = i;
    rows_ = end - i;
    if (rows_ < least_rows) {
        in_vain_ = rows_;
        return false;
    }
    now_.a_count = static_cast<index_t>(a.size());
    for (index_t d = 0; d < now_.a_count; ++d)
        now_.a_shifts[static_cast<std::size_t>(d)] = k_.a.columns[a.begin + d] - i;
    return true;
}

// The rows of B that the tile reads, in runs; shortens rows_ where one of them is no band.
bool band_tile::read_b() {
    offset_t room = 0;
    now_.clusters = now_.lists[0] = 0;
    for (index_t d = 0; d < now_.a_count;) {
        const index_t begin = first_ + a_shift(d);
        offset_t end = begin;  // rows of B looked at so far
        index_t next = d;
        for (; next < now_.a_count && (next == d || first_ + a_shift(next) < end); ++next) {
            const offset_t wanted = offset_t{first_} + a_shift(next) + rows_;
            for (; end < wanted; ++end)
                if (end > begin && !follows_(end)) {
                    // Row `end` is the first that differs: every diagonal that reaches it stops before.
                    rows_ = static_cast<index_t>(end - first_ - a_shift(next));
                    return false;
                }
            now_.a_cluster[static_cast<std::size_t>(next)] = static_cast<std::uint8_t>(now_.clusters);
        }
        const auto rows = static_cast<index_t>(end - begin);
        const span_of_row b = row_of(k_.b.offsets, begin);
        const cluster c{a_shift(d), rows, b.begin, static_cast<index_t>(b.size())};
        room += c.values();
        if (room > dia_b_values) {  // fewer rows may fit
            rows_ /= 2;
            return false;
        }
        if (b.size() > dia_most || !take_cluster(c)) return false;
        d = next;
    }
    return true;
}

// Adds a cluster with its diagonals; whether there is room.
bool band_tile::take_cluster(const cluster& c) {
    const auto n = static_cast<std::size_t>(now_.clusters), at = static_cast<std::size_t>(now_.lists[n]);
    if (at + static_cast<std::size_t>(c.diagonals) > now_.b_shifts.size()) return false;
    const index_t row = first_ + c.shift;
    for (index_t d = 0; d < c.diagonals; ++d)
        now_.b_shifts[at + static_cast<std::size_t>(d)] = k_.b.columns[c.entry + d] - row;
    clusters_[n] = c;
    now_.lists[n + 1] = now_.lists[n] + c.diagonals;
    ++now_.clusters;
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
    c_count_ = 0;
    for (index_t d = 0; d < now_.a_count; ++d) {
        const std::uint8_t number = now_.a_cluster[static_cast<std::size_t>(d)];
        const cluster& c = clusters_[number];
        const index_t* const shifts = now_.b_shifts.data() + now_.lists[number];
        for (index_t e = 0; e < c.diagonals; ++e)
            all[n++] = {a_shift(d) + shifts[e],
                        {static_cast<std::uint8_t>(d), number, static_cast<std::uint8_t>(e)}};
    }
    // Within a diagonal of C by that of A: the order of k.
    std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n),
              [](const product& x, const product& y) {
                  return x.shift != y.shift ? x.shift < y.shift : x.of.a < y.of.a;
              });
    index_t found = 0;
    for (std::size_t m = 0; m < n; ++m) {
        if (m == 0 || all[m].shift != all[m - 1].shift) {
            if (found == dia_most_c) return false;
            c_shifts_[static_cast<std::size_t>(found)] = all[m].shift;
            starts_[static_cast<std::size_t>(found++)] = static_cast<std::int32_t>(m);
        }
        pairs_[m] = all[m].of;
    }
    c_count_ = found;
    starts_[static_cast<std::size_t>(found)] = static_cast<std::int32_t>(n);
    met_ = now_;
    return found > 0;
}

}  // namespace dia_dia_detail

void dia_dia_count(const mxm_arguments& k) {
    for_runs_of_rows(k, [&](int t) { return dia_dia_detail::counter(k, t); }, plan::dia_run_rows);
}

double dia_dia_share(const mxm_arguments& k) {
    // Of a small matrix few: a look at a row that is no band takes some 40 ns.
    const index_t samples = std::clamp<index_t>(k.rows / 1024, 4, 32),
                  window = std::clamp<index_t>(k.rows / 8, dia_dia_detail::least_rows,
                                               dia_dia_detail::dia_tile_rows);
    plan::workspace_parts parts(k.workspace);
    const dia_dia_detail::rows_that_follow follows =
        k.workspace ? dia_dia_detail::rows_that_follow(k, parts) : dia_dia_detail::rows_that_follow(k);
    dia_dia_detail::band_tile tile(k, follows);
    offset_t inside = 0, seen = 0;
    for (index_t s = 0; s < samples; ++s) {
        const auto first = static_cast<index_t>(offset_t{k.rows} * (2 * s + 1) / (2 * samples));
        const index_t last = first + std::min<index_t>(k.rows - first, window);
        for (index_t i = first; i < last;) {
            const bool found = tile.find(i, last);
            const index_t rows = found ? tile.rows() : tile.in_vain();
            inside += found ? rows : 0;
            seen += rows;
            i += rows;
        }
    }
    return seen ? static_cast<double>(inside) / static_cast<double>(seen) : 0;
}

}  // namespace nz::kernels::cpu
