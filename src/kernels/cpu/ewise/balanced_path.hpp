// ewise/balanced_path: C = A op B entry by entry, as union, intersection, difference or symmetric difference of their
// places, straight from CSR (dalton2015, section III-B).
//
// Who owns what: a thread owns one piece of the balanced path through both matrices' entries, whatever rows it
//   falls in (schedule/balanced.hpp); it writes the offsets of the rows that end in its piece.
// Two passes: count walks columns alone and leaves every thread's number of results; fill walks again and writes.
//   Joins: after each.
// Three ways through rows, all with the same results: 64 rows that have the same places on both sides are one comparison
//   of memory, one copy and one loop over values; others go by windows (common_windows.hpp) where the build may use masked
//   lanes and columns are below 2^28; what these leave, and all rows elsewhere, goes entry by entry, without a branch on
//   which side is next.
// Memory: columns of A and B twice, their values once, C once, by way of a stage in the first cache
//   (common_stage.hpp). Workspace: a counter a thread, and the stage on its stack.
// Determinism: no sum, no order to choose; repeats of a place are matched by rank.
// Cost: |A| + |B| a pass. A pass over C needs at least (|A| + |B|)(2 columns + value) + |C|(column + value) bytes, so that
//   at the rate of a copy doubles without a common place reach 86% of the rate that counts A, B and C once, those of equal
//   places 82%. Equal rows come near it. Windows do not: on one thread of an EPYC (Zen 4) a result takes 0.9 to 2.0 ns in the
//   count and 1.7 to 3.5 in the fill, the more the shorter and the more varied the rows: a row whose number of windows
//   is not the last one's costs a mispredicted exit. One loop over the windows of all rows, without that exit, was
//   slower: each window then waits for the one before.
// Why the reference was not enough: one thread, an indirect call an entry, and a sort of what it appends.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/ewise/common_stage.hpp"
#include "kernels/cpu/ewise/common_windows.hpp"
#include "kernels/cpu/schedule/balanced.hpp"

#include <bit>

namespace nz::kernels::cpu {

void balanced_path_count(const ewise_arguments& arguments);

namespace balanced_detail {

// Rows that are compared as a whole: enough for one comparison of memory to pay, few enough for the caches.
constexpr index_t block_rows = 64;
// Results beyond this go past the caches, which saves a quarter of the fill's time where rows are equal and a seventh
// where the result has 11 MB; smaller ones stay for whoever reads them next.
constexpr std::size_t streamed_bytes = std::size_t{8} << 20;

template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// The values of one side; one that stands for all is repeated as often as a window is long.
template <class U>
class side_values {
public:
    explicit side_values(const ewise_side& side)
        : values_(static_cast<const U*>(side.values)), step_(side.step) {
        if (step_ == 0 && values_) std::fill_n(same_, 8, values_[0]);
    }
    U operator[](offset_t i) const { return values_[i * step_]; }
    const U* window(offset_t i) const { return (step_ == 0 ? same_ : values_) + i * step_; }
    const U* from(offset_t i) const { return values_ + i * step_; }
    offset_t step() const { return step_; }

private:
    const U* values_;
    offset_t step_;
    U same_[8] = {};
};

/// Writes one piece's results. Values move as bits, so that choosing one needs no branch.
template <binary_id Op, class T, set_operation Operation>
class piece_writer {
public:
    using U = bits_of<T>;
    piece_writer(const ewise_arguments& k, int t)
        : a_(k.a.columns),
          b_(k.b.columns),
          a_values_(k.a),
          b_values_(k.b),
          windows_(k.width <= window_columns),
          out_(k.columns, static_cast<U*>(k.values), k.piece_counts[t],
               static_cast<std::size_t>(k.piece_counts[k.threads]) * (sizeof(index_t) + sizeof(T)) >
                   streamed_bytes) {}

    offset_t place() const { return out_.place(); }
    void finish() { out_.finish(); }

    /// One row's entries, or a part of them.
    [[gnu::always_inline]] void join(offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
        if constexpr (have_masked_lanes)
            if (windows_) join_windows<masked_lanes>(i, a_end, j, b_end);
        if (i == a_end && j == b_end) return;
        join_rest(i, a_end, j, b_end);
    }
    /// `length` entries whose places are the same on both sides.
    void join_same(offset_t i, offset_t j, offset_t length) {
        if constexpr (of_pairs)
            for (offset_t done = 0; done < length;) {
                const offset_t n = std::min(length - done, out_.space());
                std::copy_n(a_ + i + done, n, out_.columns());
                const U *u = a_values_.from(i + done), *v = b_values_.from(j + done);
                U* to = out_.values();
                if (a_values_.step() == 1 && b_values_.step() == 1)
                    for (offset_t k = 0; k < n; ++k) to[k] = both(u[k], v[k]);
                else
                    for (offset_t k = 0; k < n; ++k)
                        to[k] = both(u[k * a_values_.step()], v[k * b_values_.step()]);
                out_.add(n);
                done += n;
            }
    }
    static constexpr bool of_pairs =
        Operation == set_operation::unite || Operation == set_operation::intersect;

private:
    static constexpr bool of_a_alone = Operation != set_operation::intersect;
    static constexpr bool of_b_alone =
        Operation == set_operation::unite || Operation == set_operation::exclude;

    static U both(U u, U v) {
        return std::bit_cast<U>(
            static_cast<T>(algebra::binary<Op>(std::bit_cast<T>(u), std::bit_cast<T>(v))));
    }

    template <class L>
    [[gnu::always_inline]] void join_windows(offset_t& i, offset_t a_end, offset_t& j, offset_t b_end) {
        do {
            const window<L> w(a_ + i, a_end - i, b_ + j, b_end - j);
            if (w.repeats) [[unlikely]]
                return;
            put<L>(w, a_values_.window(i), b_values_.window(j));
            i += w.from_a;
            j += w.from_b;
        } while (i < a_end && j < b_end);
    }
    template <class L>
    void put(const window<L>& w, const U* u, const U* v) {
        out_.space();
        const auto values = L::values(u, w.a_lanes, v, w.b_lanes);
        if (Operation == set_operation::unite && w.pairs == 0) {
            L::store(out_.columns(), w.columns);
            L::take(out_.values(), values, w.entries);
            return out_.add(w.from_a + w.from_b);
        }
        const std::uint32_t kept = w.template kept<Operation>();
        L::store(out_.columns(), L::pick(w.columns, kept));
        L::take(out_.values(), values, L::pick(w.entries, kept));
        if constexpr (of_pairs && Op != binary_id::first) {
            // A pair's lane is followed by B's.
            alignas(64) U other[16];
            L::take(other, values, L::pick(L::next(w.entries), kept));
            combine(out_.values(), other, L::pick(w.pairs, kept));
        }
        out_.add(std::popcount(kept));
    }
    static void combine(U* to, const U* other, std::uint32_t pairs) {
        for (int lane = 0; lane < 16; ++lane)
            to[lane] = pairs >> lane & 1 ? both(to[lane], other[lane]) : to[lane];
    }

    [[gnu::noinline]] void join_rest(offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
        join_entries(i, a_end, j, b_end);
        if constexpr (of_a_alone) copy(a_ + i, a_values_, i, a_end - i);
        if constexpr (of_b_alone) copy(b_ + j, b_values_, j, b_end - j);
    }
    void join_entries(offset_t& i, offset_t a_end, offset_t& j, offset_t b_end) {
        while (i < a_end && j < b_end) {
            out_.space();
            const index_t x = a_[i], y = b_[j];
            const bool in_a = x <= y, in_b = y <= x;
            if constexpr (Operation == set_operation::unite) {
                const U u = a_values_[i], v = b_values_[j];
                put(in_a ? x : y, in_a && in_b ? both(u, v) : in_a ? u : v, true);
            } else if constexpr (Operation == set_operation::intersect) {
                put(x, both(a_values_[i], b_values_[j]), in_a && in_b);
            } else if constexpr (Operation == set_operation::subtract) {
                put(x, a_values_[i], !in_b);
            } else {
                const U u = a_values_[i], v = b_values_[j];
                put(in_a ? x : y, in_a ? u : v, in_a != in_b);
            }
            i += in_a;
            j += in_b;
        }
    }
    /// Written always, kept where `counts`: otherwise the next one goes to the same place.
    void put(index_t column, U value, bool counts) {
        *out_.columns() = column;
        *out_.values() = value;
        out_.add(counts);
    }
    void copy(const index_t* columns, const side_values<U>& values, offset_t first, offset_t count) {
        for (offset_t done = 0; done < count;) {
            const offset_t n = std::min(count - done, out_.space());
            std::copy_n(columns + done, n, out_.columns());
            if (values.step() == 1)
                std::copy_n(values.from(first + done), n, out_.values());
            else
                std::fill_n(out_.values(), n, values[0]);
            out_.add(n);
            done += n;
        }
    }

    const index_t *a_, *b_;
    const side_values<U> a_values_, b_values_;
    const bool windows_;
    result_stage<U> out_;
};

/// Whether so many rows from `row` on have the same places on both sides; their entries begin at i and j.
inline bool same_rows(const ewise_arguments& k, index_t row, offset_t i, offset_t j) {
    const offset_t ahead = i - j;
    bool same = true;
    for (index_t r = row; r <= row + block_rows && same; r += 8)
        same = k.a.offsets[r] - k.b.offsets[r] == ahead;
    for (index_t r = row; r < row + block_rows && same; ++r) same = k.a.offsets[r] - k.b.offsets[r] == ahead;
    return same && std::equal(k.a.columns + i, k.a.columns + k.a.offsets[row + offset_t{block_rows}],
                              k.b.columns + j);
}

/// Calls same(row, a_begin, b_begin, length) for block_rows rows from `row` on of the same places on both sides, for others
/// join(a_begin, a_end, b_begin, b_end) for every row's part of piece t, then row_done(row) where the row ends in it.
template <class Same, class Join, class RowDone>
void walk_piece(const ewise_arguments& k, int t, int pieces, Same&& same, Join&& join, RowDone&& row_done) {
    const offset_t total = k.a.offsets[k.rows] + k.b.offsets[k.rows];
    const auto [begin, end] = parallel::piece(total, t, pieces);
    const path_cut from = t == 0 ? path_cut{0, 0, 0} : cut_path(k.a, k.b, k.rows, begin);
    const path_cut to = cut_path(k.a, k.b, k.rows, end);
    offset_t i = from.a, j = from.b;
    index_t compare_at = from.row;
    for (index_t row = from.row; row < to.row;) {
        if (row >= compare_at && to.row - row >= block_rows) {
            if (same_rows(k, row, i, j)) {
                const offset_t length = k.a.offsets[row + offset_t{block_rows}] - i;
                same(row, i, j, length);
                i += length;
                j += length;
                row += block_rows;
                compare_at = row;
                continue;
            }
            compare_at = row + block_rows;
        }
        const offset_t a_end = k.a.offsets[row + offset_t{1}], b_end = k.b.offsets[row + offset_t{1}];
        join(i, a_end, j, b_end);
        row_done(row);
        i = a_end;
        j = b_end;
        ++row;
    }
    join(i, to.a, j, to.b);
}

}  // namespace balanced_detail

template <binary_id Op, class T>
void balanced_path_fill(const ewise_arguments& k) {
    using enum set_operation;
    const auto write_offset = [&](offset_t row, offset_t place) {
        if (k.wide)
            static_cast<std::int64_t*>(k.offsets)[row] = place;
        else
            static_cast<std::int32_t*>(k.offsets)[row] = static_cast<std::int32_t>(place);
    };
    const auto fill = [&]<set_operation Operation>(int t) {
        balanced_detail::piece_writer<Op, T, Operation> out(k, t);
        balanced_detail::walk_piece(
            k, t, k.threads,
            [&](index_t first, offset_t i, offset_t j, offset_t length) {
                const offset_t place = out.place();
                for (index_t row = first + 1; row <= first + balanced_detail::block_rows; ++row)
                    write_offset(row, place + (out.of_pairs ? k.a.offsets[row] - i : 0));
                out.join_same(i, j, length);
            },
            [&](offset_t i, offset_t a_end, offset_t j, offset_t b_end) { out.join(i, a_end, j, b_end); },
            [&](index_t row) { write_offset(row + offset_t{1}, out.place()); });
        out.finish();
    };
    write_offset(0, 0);
    parallel::run(k.threads, [&](int t, int) {
        switch (k.operation) {
            case unite:
                return fill.template operator()<unite>(t);
            case intersect:
                return fill.template operator()<intersect>(t);
            case subtract:
                return fill.template operator()<subtract>(t);
            case exclude:
                return fill.template operator()<exclude>(t);
        }
    });
}

}  // namespace nz::kernels::cpu
