// extract/rows: T(k, l) = A(rows[k], columns[l]), in CSR. assign spreads a matrix over C's shape by the same kernel: there the lists say
// for each line of the output which line of A goes to it, or that none does.
//
// Who owns what: runs of 256 rows of the output go to whichever thread is free; a row belongs to one thread.
// Columns: all of them are copied row by row. Else each column has its place in an array, or, where so much memory would cost more
//   than the entries that are read, and where a column goes to several places, in a sorted list: entries look themselves up in it, or
//   where it is much the shorter its columns look themselves up in the row.
// Places that do not ascend with the columns are sorted row by row: of up to 128 each counts those before it, which is 8 a step and has no
//   branch to guess (laplace3d:80 permuted, one thread: docs/measurements.md), of more by comparison.
// Two passes: count leaves each row's length, fill writes. Sync: the joins after them. Workspace: a row's places where they are sorted.
// Memory: columns of the rows that are read twice (once where every column has one place), their values once, and the result.
// Determinism: nothing is summed. Why the reference was not enough: one thread, a binary search and an append an entry.
#include "kernels/cpu/extract/rows.hpp"

#include "core/parallel.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 256;

// Calls found(position, place) for the entries [begin, end) that go anywhere, by column.
template <class Found>
void by_array(const extract_rows_arguments& k, offset_t begin, offset_t end, Found&& found) {
    for (offset_t p = begin; p < end; ++p)
        if (const index_t place = k.place_of[k.a.columns[p]]; place >= 0) found(p, place);
}

template <class Found>
void by_list(const extract_rows_arguments& k, offset_t begin, offset_t end, Found&& found) {
    constexpr offset_t much_shorter = 8, few = 2;
    const auto here = k.targets.begin(), last = k.targets.end();
    if (std::ssize(k.targets) <= few || std::ssize(k.targets) * much_shorter < end - begin) {
        offset_t p = begin;
        for (const column_target& t : k.targets) {
            p = std::lower_bound(k.a.columns + p, k.a.columns + end, t.column) - k.a.columns;
            for (offset_t q = p; q < end && k.a.columns[q] == t.column; ++q) found(q, t.place);
        }
        return;
    }
    for (offset_t p = begin; p < end; ++p)
        for (auto t = std::lower_bound(here, last, column_target{k.a.columns[p], 0});
             t != last && t->column == k.a.columns[p]; ++t)
            found(p, t->place);
}

template <class Found>
void walk(const extract_rows_arguments& k, offset_t begin, offset_t end, Found&& found) {
    if (k.place_of)
        by_array(k, begin, end, found);
    else
        by_list(k, begin, end, found);
}

// A row in pieces, as it is met: positions and their places.
class unordered_row {
public:
    void clear() {
        places_.clear();
        positions_.clear();
    }
    void add(offset_t position, index_t place) {
        places_.push_back(place);
        positions_.push_back(position);
    }
    /// Calls put(rank, place, position), rank counting places from below; of equal ones the first met comes first.
    template <class Put>
    void each_by_rank(Put&& put) {
        const auto n = static_cast<int>(places_.size());
        if (n <= most_counted) {
            for (int i = 0; i < n; ++i) {
                const index_t place = places_[i];
                int rank = 0;
                for (int j = 0; j < i; ++j) rank += places_[j] <= place;
                for (int j = i + 1; j < n; ++j) rank += places_[j] < place;
                put(rank, place, positions_[i]);
            }
            return;
        }
        order_.resize(places_.size());
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(),
                  [&](int x, int y) { return places_[x] != places_[y] ? places_[x] < places_[y] : x < y; });
        for (int rank = 0; rank < n; ++rank) put(rank, places_[order_[rank]], positions_[order_[rank]]);
    }

private:
    static constexpr int most_counted = 128;
    std::vector<index_t> places_;
    std::vector<offset_t> positions_;
    std::vector<int> order_;
};

template <class Row>
void each_row(const extract_rows_arguments& k, Row&& row) {
    parallel::for_chunks(k.threads, k.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        unordered_row unordered;
        for (offset_t i = first; i < last; ++i) {
            const offset_t source = k.row_sources ? k.row_sources[i] : i;
            const offset_t begin = source < 0 ? 0 : k.a.offsets[source],
                           end = source < 0 ? 0 : k.a.offsets[source + 1];
            row(i, begin, end, unordered);
        }
    });
}

// move(to, from) for values; copy(to, from, count) for many.
template <class Move, class Copy>
void fill(const extract_rows_arguments& k, Move&& move, Copy&& copy) {
    each_row(k, [&](offset_t i, offset_t begin, offset_t end, unordered_row& unordered) {
        offset_t at = k.out_offsets[i];
        if (k.all_columns) {
            std::copy(k.a.columns + begin, k.a.columns + end, k.out_columns + at);
            copy(at, begin, end - begin);
        } else if (!k.ascending) {
            unordered.clear();
            walk(k, begin, end, [&](offset_t p, index_t place) { unordered.add(p, place); });
            unordered.each_by_rank([&](int rank, index_t place, offset_t p) {
                k.out_columns[at + rank] = place;
                move(at + rank, p);
            });
        } else {
            walk(k, begin, end, [&](offset_t p, index_t place) {
                k.out_columns[at] = place;
                move(at++, p);
            });
        }
    });
}

}  // namespace

void extract_rows_count(const extract_rows_arguments& k) {
    each_row(k, [&](offset_t i, offset_t begin, offset_t end, unordered_row&) {
        if (k.all_columns || k.every_column) {
            k.lengths[i] = static_cast<index_t>(end - begin);
            return;
        }
        index_t length = 0;
        walk(k, begin, end, [&](offset_t, index_t) { ++length; });
        k.lengths[i] = length;
    });
}

void extract_rows_fill(const extract_rows_arguments& k) {
    if (!k.out_values) return fill(k, [](offset_t, offset_t) {}, [](offset_t, offset_t, offset_t) {});
    storage::by_width(size_of(k.a.type), [&]<class U>(std::type_identity<U>) {
        const U* const from = static_cast<const U*>(k.a.values);
        U* const to = static_cast<U*>(k.out_values);
        fill(
            k, [&](offset_t at, offset_t p) { to[at] = from[p]; },
            [&](offset_t at, offset_t p, offset_t n) { std::copy_n(from + p, n, to + at); });
    });
}

}  // namespace nz::kernels::cpu
