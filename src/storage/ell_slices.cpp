// CSR to slices of equally long rows: each window counts its rows by length, which says how many slices it has; then it deals its rows out, and
// threads share the slices whose entries they bring.
#include "storage/ell_slices.hpp"

#include "core/bits.hpp"
#include "core/checks.hpp"
#include "storage/forms.hpp"
#include "storage/ranked_columns.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nz::storage {
namespace {

constexpr index_t window_rows = 1 << 16, equal_slices_a_turn = 64, whole_rows_a_turn = 256;
/// Longer rows stand whole: a slice of them is several pages.
constexpr offset_t longest_in_slices = 1024;

index_t windows_of(const csr& a) {
    return static_cast<index_t>((offset_t{a.rows} + window_rows - 1) / window_rows);
}

// How a window's rows are dealt out.
struct window {
    index_t begin = 0, end = 0;
    std::vector<index_t> slices;  ///< of each length
    index_t all_slices = 0, whole = 0;
    offset_t in_slices = 0;  ///< entries

    window() = default;
    template <class Offset>
    window(const csr& a, const Offset* offsets, index_t number)
        : begin(number * window_rows),
          end(static_cast<index_t>(std::min<offset_t>(a.rows, offset_t{begin} + window_rows))),
          slices(longest_in_slices + 1) {
        index_t rows = 0;
        for (index_t i = begin; i < end; ++i) {
            const offset_t length = offsets[i + 1] - offsets[i];
            rows += length > 0;
            if (length > 0 && length <= longest_in_slices) ++slices[static_cast<std::size_t>(length)];
        }
        for (offset_t length = 1; length <= longest_in_slices; ++length) {
            index_t& of = slices[static_cast<std::size_t>(length)];
            of /= slice_rows;
            all_slices += of;
            in_slices += of * length * slice_rows;
        }
        whole = rows - all_slices * slice_rows;
    }
};

// Where a window's slices, their entries and its whole rows begin.
struct beginning {
    index_t slices = 0, whole = 0;
    offset_t entries = 0;
};

template <class Offset>
void deal_rows(const window& w, const Offset* offsets, beginning at, ell_slices& t) {
    auto* starts = t.starts.as<offset_t>();
    auto* rows = t.rows.as<index_t>();
    std::vector<index_t> next(w.slices.size()), ends(w.slices.size());  // places among rows in slices
    for (std::size_t length = 1; length < w.slices.size(); ++length) {
        next[length] = at.slices * slice_rows;
        for (index_t s = 0; s < w.slices[length]; ++s) {
            starts[at.slices++] = at.entries;
            at.entries += static_cast<offset_t>(length) * slice_rows;
        }
        ends[length] = at.slices * slice_rows;
    }
    index_t* whole = rows + offset_t{t.slices} * slice_rows + at.whole;
    auto* present = t.present.as<bits::word>();
    for (index_t i = w.begin; i < w.end; ++i) {
        const auto length = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
        if (length == 0) continue;
        bits::set(present, i);
        if (length < next.size() && next[length] < ends[length])
            rows[next[length]++] = i;
        else
            *whole++ = i;
    }
}

// The entries of slice s, or of whole row q: what they read of the source's arrays, as `From` says.
template <class Offset, class U>
void bring_slice(const ell_slices& t, const Offset* offsets, const U* from, U* to, index_t s) {
    const offset_t begin = t.starts.as<offset_t>()[s],
                   length = (t.starts.as<offset_t>()[s + 1] - begin) / slice_rows;
    const index_t* rows = t.rows.as<index_t>() + offset_t{s} * slice_rows;
    for (int r = 0; r < slice_rows; ++r) {
        const U* row = from + offsets[rows[r]];
        for (offset_t l = 0; l < length; ++l) to[begin + l * slice_rows + r] = row[l];
    }
}
template <class Offset, class U>
void bring_whole(const ell_slices& t, const Offset* offsets, const U* from, U* to, index_t q) {
    const index_t i = t.rows.as<index_t>()[offset_t{t.slices} * slice_rows + q];
    std::copy(from + offsets[i], from + offsets[i + 1], to + t.whole_starts.as<offset_t>()[q]);
}
template <class U>
void bring(const context& ctx, const ell_slices& t, const U* from, U* to) {
    with_offsets(*t.source, [&](const auto* offsets) {
        for_parts(ctx, t.slices, equal_slices_a_turn,
                  [&](index_t s) { bring_slice(t, offsets, from, to, s); });
        for_parts(ctx, t.whole, whole_rows_a_turn, [&](index_t q) { bring_whole(t, offsets, from, to, q); });
    });
}

// Rows, starts and presence.
void deal(const context& ctx, const csr& a, ell_slices& t) {
    with_offsets(a, [&](const auto* offsets) {
        std::vector<window> windows(static_cast<std::size_t>(windows_of(a)));
        for_parts(ctx, windows_of(a), 1,
                  [&](index_t k) { windows[static_cast<std::size_t>(k)] = window(a, offsets, k); });
        std::vector<beginning> begins;
        beginning at;
        for (const window& w : windows) {
            begins.push_back(at);
            at = {at.slices + w.all_slices, at.whole + w.whole, at.entries + w.in_slices};
        }
        t.slices = at.slices, t.whole = at.whole;
        const auto room = [&](offset_t count, std::size_t each) {
            return buffer(ctx.memory(), static_cast<std::size_t>(count) * each);
        };
        t.starts = room(offset_t{t.slices} + 1, sizeof(offset_t));
        t.rows = room(offset_t{t.slices} * slice_rows + t.whole, sizeof(index_t));
        t.whole_starts = room(offset_t{t.whole} + 1, sizeof(offset_t));
        const auto words = static_cast<offset_t>(bits::words_for(a.rows));
        t.present = room(words, sizeof(bits::word));
        std::fill_n(t.present.as<bits::word>(), words, bits::word{0});
        t.starts.as<offset_t>()[t.slices] = at.entries;
        for_parts(ctx, windows_of(a), 1, [&](index_t k) {
            const auto w = static_cast<std::size_t>(k);
            deal_rows(windows[w], offsets, begins[w], t);
        });
        auto* whole_starts = t.whole_starts.as<offset_t>();
        const index_t* whole = t.rows.as<index_t>() + offset_t{t.slices} * slice_rows;
        whole_starts[0] = at.entries;
        for (index_t q = 0; q < t.whole; ++q)
            whole_starts[q + 1] = whole_starts[q] + (offsets[whole[q] + 1] - offsets[whole[q]]);
    });
}

}  // namespace

ell_slices make_ell_slices(const context& ctx, const csr& a, bool ranked, std::optional<dtype> type) {
    ell_slices t{&a, ctx.memory(), ranked, type, 0, 0, {}, {}, {}, {}, {}, {}, {}, 0};
    deal(ctx, a, t);
    t.places = buffer(ctx.memory(), static_cast<std::size_t>(a.nnz) * sizeof(index_t));
    if (ranked) {
        ranked_columns ranks = make_ranked_columns(ctx, a);
        bring(ctx, t, std::as_const(ranks.ranks).as<index_t>(), t.places.as<index_t>());
        t.columns = std::move(ranks.columns);
        t.held = ranks.held;
    } else {
        bring(ctx, t, a.index_data(), t.places.as<index_t>());
    }
    form_values values = values_for_form(ctx, a, type);
    if (!values.each_bytes) {
        t.values = std::move(values.one);
        return t;
    }
    t.values = buffer(ctx.memory(), static_cast<std::size_t>(a.nnz) * values.each_bytes);
    by_width(values.each_bytes, [&]<class U>(std::type_identity<U>) {
        bring(ctx, t, static_cast<const U*>(values.each), t.values.as<U>());
    });
    return t;
}

double share_in_ell_slices(const context& ctx, const csr& a) {
    std::vector<offset_t> entries(static_cast<std::size_t>(windows_of(a)));
    with_offsets(a, [&](const auto* offsets) {
        for_parts(ctx, windows_of(a), 1,
                  [&](index_t k) { entries[static_cast<std::size_t>(k)] = window(a, offsets, k).in_slices; });
    });
    offset_t all = 0;
    for (const offset_t of : entries) all += of;
    return a.nnz ? static_cast<double>(all) / static_cast<double>(a.nnz) : 0;
}

namespace {

// Calls f(row, l, at) for each row and each of its entries, l the how manieth it is, at where it stands.
template <class F>
void for_entries(const ell_slices& t, F&& f) {
    const auto* starts = t.starts.as<offset_t>();
    const auto* whole_starts = t.whole_starts.as<offset_t>();
    const auto* rows = t.rows.as<index_t>();
    for (index_t s = 0; s < t.slices; ++s)
        for (offset_t at = starts[s]; at < starts[s + 1]; ++at)
            f(rows[offset_t{s} * slice_rows + (at - starts[s]) % slice_rows], (at - starts[s]) / slice_rows,
              at);
    for (index_t q = 0; q < t.whole; ++q)
        for (offset_t at = whole_starts[q]; at < whole_starts[q + 1]; ++at)
            f(rows[offset_t{t.slices} * slice_rows + q], at - whole_starts[q], at);
}

index_t column_at(const ell_slices& t, offset_t at) {
    const index_t place = t.places.as<index_t>()[at];
    return t.ranked ? t.columns.as<index_t>()[place] : place;
}

}  // namespace

csr to_csr(const context& ctx, const ell_slices& t) {
    const csr& a = *t.source;
    std::vector<index_t> lengths(static_cast<std::size_t>(a.rows));
    for_entries(t, [&](index_t i, offset_t, offset_t) { ++lengths[static_cast<std::size_t>(i)]; });
    const dtype type = t.type.value_or(a.type);
    const value_kind kind = !t.type ? value_kind::pattern : a.kind;
    csr out = allocate_csr(ctx, type, kind, a.rows, a.columns, lengths);
    if (kind == value_kind::iso) store(out.values.data(), type, 0, load(t.values.data(), type, 0));
    for_entries(t, [&](index_t i, offset_t l, offset_t at) {
        const offset_t to = out.offset(i) + l;
        out.indices.as<index_t>()[to] = column_at(t, at);
        if (kind == value_kind::full) store(out.values.data(), type, to, load(t.values.data(), type, at));
    });
    return out;
}

void validate(const ell_slices& t, const char* what) {
    const csr& a = *t.source;
    const auto* starts = t.starts.as<offset_t>();
    const auto* whole_starts = t.whole_starts.as<offset_t>();
    const auto* rows = t.rows.as<index_t>();
    require<invalid_format>(whole_starts[0] == starts[t.slices] && whole_starts[t.whole] == a.nnz,
                            "{}: whole rows begin at {} behind slices that end at {}, and end at {} of {}",
                            what, whole_starts[0], starts[t.slices], whole_starts[t.whole], a.nnz);
    std::vector<char> seen(static_cast<std::size_t>(a.rows), 0);
    const offset_t listed = offset_t{t.slices} * slice_rows + t.whole;
    for (offset_t k = 0; k < listed; ++k) {
        const index_t i = rows[k];
        require<invalid_format>(i >= 0 && i < a.rows && !seen[static_cast<std::size_t>(i)],
                                "{}: row {} at {} of the rows, twice or beyond {}", what, i, k, a.rows);
        seen[static_cast<std::size_t>(i)] = 1;
        const offset_t s = k / slice_rows, q = k - offset_t{t.slices} * slice_rows,
                       held = s < t.slices ? (starts[s + 1] - starts[s]) / slice_rows
                                           : whole_starts[q + 1] - whole_starts[q];
        require<invalid_format>(held == a.offset(i + offset_t{1}) - a.offset(i) && held > 0,
                                "{}: row {} of {} entries has {}", what, i,
                                a.offset(i + offset_t{1}) - a.offset(i), held);
    }
    for (index_t i = 0; i < a.rows; ++i)
        require<invalid_format>(
            bits::test(t.present.as<bits::word>(), i) == (a.offset(i + offset_t{1}) > a.offset(i)) &&
                bits::test(t.present.as<bits::word>(), i) == bool{seen[static_cast<std::size_t>(i)] != 0},
            "{}: row {} is said to be empty, or not, and it is otherwise", what, i);
    for_entries(t, [&](index_t i, offset_t l, offset_t at) {
        const index_t place = t.places.as<index_t>()[at], j = a.index_data()[a.offset(i) + l];
        require<invalid_format>(place >= 0 && place < a.columns && column_at(t, at) == j,
                                "{}: entry {} of row {} is at place {}, which is not column {}", what, l, i,
                                place, j);
    });
}

}  // namespace nz::storage
