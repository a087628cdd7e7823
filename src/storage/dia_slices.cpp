// CSR to slices: the rows of a slice are merged by their distance from the diagonal. The smallest that any row has next is the
// next diagonal, and rows that have it step on. One pass counts, one fills; threads share slices.
#include "storage/dia_slices.hpp"

#include "core/bits.hpp"
#include "core/checks.hpp"
#include "storage/forms.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace nz::storage {
namespace {

constexpr index_t slices_a_turn = 64;
constexpr index_t none = std::numeric_limits<index_t>::max();  // no distance: columns end below it

// The diagonals of one slice, one after the other.
template <class Offset>
struct slice_walk {
    const index_t* columns;
    index_t first;
    Offset at[slice_rows], end[slice_rows];
    index_t distance[slice_rows];  // of the row's next entry

    slice_walk(const csr& a, const Offset* offsets, index_t slice)
        : columns(a.index_data()), first(slice * slice_rows) {
        for (int r = 0; r < slice_rows; ++r) {
            const offset_t i = offset_t{first} + r;
            at[r] = i < a.rows ? offsets[i] : 0;
            end[r] = i < a.rows ? offsets[i + 1] : 0;
            look(r);
        }
    }
    void look(int r) { distance[r] = at[r] < end[r] ? columns[at[r]] - (first + r) : none; }
    index_t next() const {
        index_t least = none;
        for (int r = 0; r < slice_rows; ++r) least = std::min(least, distance[r]);
        return least;
    }
    std::uint32_t rows_with(index_t d) const {
        std::uint32_t rows = 0;
        for (int r = 0; r < slice_rows; ++r) rows |= std::uint32_t{distance[r] == d} << r;
        return rows;
    }
    void step(std::uint32_t rows) {
        bits::for_each(rows, 0, [&](offset_t r) {
            ++at[r];
            look(static_cast<int>(r));
        });
    }
};

template <class Offset>
offset_t count_diagonals(const csr& a, const Offset* offsets, index_t slice, offset_t most) {
    offset_t count = 0;
    slice_walk walk(a, offsets, slice);
    for (index_t d; count < most && (d = walk.next()) != none; ++count) walk.step(walk.rows_with(d));
    return count;
}

template <class U, class Offset>
void fill_slice(const csr& a, const Offset* offsets, const U* from, dia_slices& t, index_t slice) {
    offset_t place = t.begin(slice);
    auto* diagonals = t.diagonals.as<slice_diagonal>();
    U* values = t.values.as<U>();
    slice_walk walk(a, offsets, slice);
    for (index_t d; (d = walk.next()) != none; ++place) {
        const std::uint32_t rows = walk.rows_with(d);
        diagonals[place] = {d, rows};
        if (from)
            for (int r = 0; r < slice_rows; ++r)
                values[place * slice_rows + r] = rows >> r & 1 ? from[walk.at[r]] : U{0};
        walk.step(rows);
    }
    for (const offset_t end = t.begin(slice + 1); place < end; ++place) {
        diagonals[place] = {};
        if (from) std::fill_n(values + place * slice_rows, slice_rows, U{0});
    }
}

// Empty diagonals are values to be read, at most one for so many others; a product then need not ask where slices begin, which matters
// where they are short.
constexpr offset_t longest_pitch = 32, diagonals_an_empty_one = 64;

}  // namespace

void dia_slices::settle_pitch(offset_t most) {
    const offset_t all = slices() * most;
    if (most > longest_pitch || (all - count) * diagonals_an_empty_one > count) return;
    pitch = static_cast<int>(most);
    if (pitch == 0) return;
    count = all;
    starts = {};
}

dia_slices make_dia_slices(const context& ctx, const csr& a, std::optional<dtype> type) {
    dia_slices t{&a, ctx.memory(), 0, type, 0, {}, {}, {}};
    const index_t n = t.slices();
    t.starts = buffer(ctx.memory(), (static_cast<std::size_t>(n) + 1) * sizeof(offset_t));
    auto* starts = t.starts.as<offset_t>();
    with_offsets(a, [&](const auto* offsets) {
        for_parts(ctx, n, slices_a_turn,
                  [&](index_t s) { starts[s] = count_diagonals(a, offsets, s, a.nnz); });
    });
    offset_t most = 0;
    for (index_t s = 0; s < n; ++s) {
        most = std::max(most, starts[s]);
        t.count += std::exchange(starts[s], t.count);
    }
    starts[n] = t.count;
    t.settle_pitch(most);
    form_values values = values_for_form(ctx, a, type);
    const auto count = static_cast<std::size_t>(t.count);
    t.diagonals = buffer(ctx.memory(), count * sizeof(slice_diagonal));
    t.values = values.each_bytes ? buffer(ctx.memory(), count * slice_rows * values.each_bytes)
                                 : std::move(values.one);
    by_width(std::max<std::size_t>(values.each_bytes, 1), [&]<class U>(std::type_identity<U>) {
        with_offsets(a, [&](const auto* offsets) {
            for_parts(ctx, n, slices_a_turn,
                      [&](index_t s) { fill_slice(a, offsets, static_cast<const U*>(values.each), t, s); });
        });
    });
    return t;
}

csr to_csr(const context& ctx, const dia_slices& t) {
    const csr& a = *t.source;
    std::vector<index_t> lengths(static_cast<std::size_t>(a.rows));
    const auto* diagonals = t.diagonals.as<slice_diagonal>();
    const auto each_entry = [&](auto&& f) {
        for (index_t s = 0; s < t.slices(); ++s)
            for (offset_t k = t.begin(s); k < t.begin(s + 1); ++k)
                bits::for_each(diagonals[k].rows, 0, [&](offset_t r) {
                    f(static_cast<index_t>(offset_t{s} * slice_rows + r), k, k * slice_rows + r);
                });
    };
    each_entry([&](index_t i, offset_t, offset_t) { ++lengths[static_cast<std::size_t>(i)]; });
    const dtype type = t.type.value_or(a.type);
    const value_kind kind = !t.type ? value_kind::pattern : a.kind;
    csr out = allocate_csr(ctx, type, kind, a.rows, a.columns, lengths);
    std::vector<offset_t> next(static_cast<std::size_t>(a.rows));
    for (index_t i = 0; i < a.rows; ++i) next[static_cast<std::size_t>(i)] = out.offset(i);
    if (kind == value_kind::iso) store(out.values.data(), type, 0, load(t.values.data(), type, 0));
    each_entry([&](index_t i, offset_t k, offset_t place) {
        const offset_t to = next[static_cast<std::size_t>(i)]++;
        out.indices.as<index_t>()[to] = i + diagonals[k].distance;
        if (kind == value_kind::full) store(out.values.data(), type, to, load(t.values.data(), type, place));
    });
    return out;
}

void validate(const dia_slices& t, const char* what) {
    const csr& a = *t.source;
    const auto* diagonals = t.diagonals.as<slice_diagonal>();
    require<invalid_format>(t.begin(0) == 0 && t.begin(t.slices()) == t.count,
                            "{}: slices begin at {} and end at {} of {} diagonals", what, t.begin(0),
                            t.begin(t.slices()), t.count);
    offset_t entries = 0;
    for (index_t s = 0; s < t.slices(); ++s)
        for (offset_t k = t.begin(s); k < t.begin(s + 1); ++k) {
            const auto [distance, rows] = diagonals[k];
            const slice_diagonal before = k > t.begin(s) ? diagonals[k - 1] : slice_diagonal{distance, ~0u};
            if (t.pitch && rows == 0) {
                require<invalid_format>(distance == 0, "{}: slice {} has an empty diagonal {}", what, s,
                                        distance);
                continue;
            }
            require<invalid_format>(before.rows != 0 && before.distance <= distance,
                                    "{}: slice {} has diagonal {} behind {}", what, s, distance,
                                    before.distance);
            require<invalid_format>(rows != 0, "{}: diagonal {} of slice {} holds nothing", what, distance,
                                    s);
            bits::for_each(rows, offset_t{s} * slice_rows, [&, far = distance](offset_t i) {
                require<invalid_format>(i < a.rows && i + far >= 0 && i + far < a.columns,
                                        "{}: row {} has column {}, beyond {} x {}", what, i, i + far, a.rows,
                                        a.columns);
                ++entries;
            });
        }
    require<invalid_format>(entries == a.nnz, "{}: {} entries of {}", what, entries, a.nnz);
}

double sample_slices(const csr& a) {
    constexpr offset_t samples = 128;
    const index_t slices = dia_slices::slices_of(a.rows);
    const offset_t taken = std::min<offset_t>(samples, slices);
    offset_t entries = 0, diagonals = 0;
    with_offsets(a, [&](const auto* offsets) {
        for (offset_t k = 0; k < taken; ++k) {
            const auto s = static_cast<index_t>(taken > 1 ? k * (slices - 1) / (taken - 1) : 0);
            const offset_t end = std::min<offset_t>(offset_t{s} * slice_rows + slice_rows, a.rows);
            const offset_t held = offsets[end] - offsets[offset_t{s} * slice_rows];
            entries += held;
            diagonals += count_diagonals(a, offsets, s, held / 2 + 1);
        }
    });
    return entries ? static_cast<double>(diagonals) / static_cast<double>(entries) : 1;
}

}  // namespace nz::storage
