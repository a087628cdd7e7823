// extract/rows: T(k, l) = A(rows[k], columns[l]), in CSR. assign spreads a matrix over C's shape by the same kernel: there the lists say
// for each line of the output which line of A goes to it, or that none does.
//
// Who owns what: runs of 256 rows of the output go to whichever thread is free; a row belongs to one thread.
// Columns: all of them are copied row by row. Else each column has its place in an array, or its first one in a sorted list where it goes
//   to several. Where so much memory would cost more than the entries that are read, entries look themselves up in the list, or
//   where it is much the shorter its columns look themselves up in the row.
// Places that do not ascend with the columns are sorted where they were written, 256 rows at a time, in the cache of who wrote them: up to 8 are
//   inserted one by one, of up to 32 each counts those before it, which is 8 a step and has no branch to guess (laplace3d:80 permuted,
//   one thread: docs/measurements/conversions.md), more are compared, very many sorted by their bytes; without values all are compared.
// Two passes: count leaves each row's length, fill writes. Sync: the joins after them. Workspace: a long row's places and values where they are sorted.
// Memory: columns of the rows that are read twice (once where every column has one place), their values once, and the result.
// Determinism: nothing is summed. Why the reference was not enough: one thread, a binary search and an append an entry.
#include "kernels/cpu/extract/rows.hpp"

#include "core/parallel.hpp"
#include "storage/sort_row.hpp"

#include <algorithm>

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
void by_first_target(const extract_rows_arguments& k, offset_t begin, offset_t end, Found&& found) {
    for (offset_t p = begin; p < end; ++p) {
        const index_t column = k.a.columns[p], first = k.target_of[column];
        if (first < 0) continue;
        for (auto t = k.targets.begin() + first; t != k.targets.end() && t->column == column; ++t)
            found(p, t->place);
    }
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
    else if (k.target_of)
        by_first_target(k, begin, end, found);
    else
        by_list(k, begin, end, found);
}

// What fill does with the values of a row: U is as wide as they are.
template <class U>
class moved_values {
public:
    moved_values(const U* from, U* to) : from_(from), to_(to) {}
    void move(offset_t at, offset_t p) const { to_[at] = from_[p]; }
    void copy(offset_t at, offset_t p, offset_t n) const { std::copy_n(from_ + p, n, to_ + at); }
    void sort(index_t* columns, offset_t at, std::size_t n) {
        storage::sort_row(columns + at, to_ + at, n, scratch_);
    }

private:
    const U* from_;
    U* to_;
    storage::row_scratch<U> scratch_;
};
struct no_values {
    void move(offset_t, offset_t) const {}
    void copy(offset_t, offset_t, offset_t) const {}
    void sort(index_t* columns, offset_t at, std::size_t n) const {
        std::sort(columns + at, columns + at + n);
    }
};

template <class Row>
void each_row(const extract_rows_arguments& k, offset_t first, offset_t last, Row&& row) {
    for (offset_t i = first; i < last; ++i) {
        const offset_t source = k.row_sources ? k.row_sources[i] : i;
        row(i, source < 0 ? 0 : k.a.offsets[source], source < 0 ? 0 : k.a.offsets[source + 1]);
    }
}

template <class Values>
void fill(const extract_rows_arguments& k, const Values& given) {
    parallel::for_chunks(k.threads, k.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        Values values = given;
        each_row(k, first, last, [&](offset_t i, offset_t begin, offset_t end) {
            offset_t at = k.out_offsets[i];
            if (k.all_columns) {
                std::copy(k.a.columns + begin, k.a.columns + end, k.out_columns + at);
                values.copy(at, begin, end - begin);
                return;
            }
            walk(k, begin, end, [&](offset_t p, index_t place) {
                k.out_columns[at] = place;
                values.move(at++, p);
            });
        });
        // Not before: what is read by vectors waits for the single stores that wrote it.
        for (offset_t i = first; !k.ascending && i < last; ++i) {
            const offset_t start = k.out_offsets[i], end = k.out_offsets[i + 1];
            if (!std::is_sorted(k.out_columns + start, k.out_columns + end))
                values.sort(k.out_columns, start, static_cast<std::size_t>(end - start));
        }
    });
}

}  // namespace

void extract_rows_count(const extract_rows_arguments& k) {
    parallel::for_chunks(k.threads, k.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        each_row(k, first, last, [&](offset_t i, offset_t begin, offset_t end) {
            if (k.all_columns || k.every_column) {
                k.lengths[i] = static_cast<index_t>(end - begin);
                return;
            }
            index_t length = 0;
            walk(k, begin, end, [&](offset_t, index_t) { ++length; });
            k.lengths[i] = length;
        });
    });
}

void extract_rows_fill(const extract_rows_arguments& k) {
    if (!k.out_values) return fill(k, no_values());
    storage::by_width(size_of(k.a.type), [&]<class U>(std::type_identity<U>) {
        fill(k, moved_values<U>(static_cast<const U*>(k.a.values), static_cast<U*>(k.out_values)));
    });
}

}  // namespace nz::kernels::cpu
