// ewise/balanced_path: C = A op B entry by entry, as union, intersection, difference or symmetric difference of their
// places, straight from CSR (dalton2015, section III-B).
//
// Who owns what: a thread owns one piece of the balanced path through both matrices' entries, whatever rows it
//   falls in (schedule/balanced.hpp); it writes the offsets of the rows that end in its piece.
// Two passes: count walks columns alone and leaves every thread's number of results; fill walks again and writes.
//   Joins: after each.
// Memory: columns of A and B twice, their values once, C once. Workspace: a counter a thread.
// Determinism: no sum, no order to choose; repeats of a place are matched by rank.
// Cost: |A| + |B| a pass. Steps through a row advance both sides without a branch; a row costs two or three
//   mispredicted exits, which is what limits short rows.
// Why the reference was not enough: one thread, an indirect call an entry, and a sort of what it appends.
#pragma once

#include "algebra/functors.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/schedule/balanced.hpp"

#include <bit>

namespace nz::kernels::cpu {

void balanced_path_count(const ewise_arguments& arguments);

namespace balanced_detail {

template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Writes one piece's results, starting at `place`. Values move as bits, so that choosing one needs no branch.
template <binary_id Op, class T>
class piece_writer {
public:
    using U = bits_of<T>;
    piece_writer(const ewise_arguments& k, int t)
        : k_(k),
          place_(k.piece_counts[t]),
          end_(k.piece_counts[t + 1]),
          columns_(k.columns),
          values_(static_cast<U*>(k.values)) {}

    offset_t place() const { return place_; }

    template <set_operation Operation>
    void join(offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
        const index_t *a = k_.a.columns, *b = k_.b.columns;
        while (i < a_end && j < b_end) {
            const index_t x = a[i], y = b[j];
            const bool in_a = x <= y, in_b = y <= x;
            if constexpr (Operation == set_operation::unite) {
                const U u = a_value(i), v = b_value(j);
                put(in_a ? x : y, in_a && in_b ? both(u, v) : in_a ? u : v, true);
            } else if constexpr (Operation == set_operation::intersect) {
                put(x, both(a_value(i), b_value(j)), in_a && in_b);
            } else if constexpr (Operation == set_operation::subtract) {
                put(x, a_value(i), !in_b);
            } else {
                const U u = a_value(i), v = b_value(j);
                put(in_a ? x : y, in_a ? u : v, in_a != in_b);
            }
            i += in_a;
            j += in_b;
        }
        if constexpr (Operation != set_operation::intersect)
            for (; i < a_end; ++i) put(a[i], a_value(i), true);
        if constexpr (Operation == set_operation::unite || Operation == set_operation::exclude)
            for (; j < b_end; ++j) put(b[j], b_value(j), true);
    }

private:
    U a_value(offset_t i) const { return static_cast<const U*>(k_.a.values)[i * k_.a.step]; }
    U b_value(offset_t j) const { return static_cast<const U*>(k_.b.values)[j * k_.b.step]; }
    static U both(U u, U v) {
        return std::bit_cast<U>(
            static_cast<T>(algebra::binary<Op>(std::bit_cast<T>(u), std::bit_cast<T>(v))));
    }
    /// Written always, kept where `counts`: otherwise the next one goes to the same place. The piece's own room has an
    /// end, beyond which another thread writes.
    void put(index_t column, U value, bool counts) {
        if (place_ == end_) return;
        columns_[place_] = column;
        values_[place_] = value;
        place_ += counts;
    }

    const ewise_arguments& k_;
    offset_t place_;
    const offset_t end_;
    index_t* columns_;
    U* values_;
};

/// Calls join(a_begin, a_end, b_begin, b_end) for every row's part of piece t, then row_done(row) where the row ends in
/// it.
template <class Join, class RowDone>
void walk_piece(const ewise_arguments& k, int t, int pieces, Join&& join, RowDone&& row_done) {
    const offset_t total = k.a.offsets[k.rows] + k.b.offsets[k.rows];
    const auto [begin, end] = parallel::piece(total, t, pieces);
    const path_cut from = t == 0 ? path_cut{0, 0, 0} : cut_path(k.a, k.b, k.rows, begin);
    const path_cut to = cut_path(k.a, k.b, k.rows, end);
    offset_t i = from.a, j = from.b;
    for (index_t row = from.row; row < to.row; ++row) {
        const offset_t a_end = k.a.offsets[row + offset_t{1}], b_end = k.b.offsets[row + offset_t{1}];
        join(i, a_end, j, b_end);
        row_done(row);
        i = a_end;
        j = b_end;
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
    write_offset(0, 0);
    parallel::run(k.threads, [&](int t, int) {
        balanced_detail::piece_writer<Op, T> out(k, t);
        const auto walk = [&]<set_operation Operation>() {
            balanced_detail::walk_piece(
                k, t, k.threads,
                [&](offset_t i, offset_t a_end, offset_t j, offset_t b_end) {
                    out.template join<Operation>(i, a_end, j, b_end);
                },
                [&](index_t row) { write_offset(row + offset_t{1}, out.place()); });
        };
        switch (k.operation) {
            case unite:
                return walk.template operator()<unite>();
            case intersect:
                return walk.template operator()<intersect>();
            case subtract:
                return walk.template operator()<subtract>();
            case exclude:
                return walk.template operator()<exclude>();
        }
    });
}

}  // namespace nz::kernels::cpu
