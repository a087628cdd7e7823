// assign/rows: Z = C with the entries in a region of rows x columns replaced by T's, which all lie in it.
//
// Who owns what: runs of 256 rows go to whichever thread is free; a row belongs to one thread. Rows outside the region are C's, rows
//   wholly in it are T's; of the others C's columns outside the region are merged with T's.
// Two passes: count leaves each row's length, fill writes. Sync: the joins after them. No workspace; a bit for each row and column.
// Memory: C's columns in the region twice, other columns and all values once, T's likewise, and Z.
// Determinism: nothing is summed. Why the reference was not enough: one thread, a binary search and an append an entry.
#include "kernels/cpu/assign/rows.hpp"

#include "core/parallel.hpp"

#include <algorithm>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 256;

struct row_of {
    offset_t begin, end;
    offset_t length() const { return end - begin; }
};

// Calls whole(i, side, row) for rows that are one side's and merged(i, row of C, row of T) for the others.
template <class Whole, class Merged>
void each_row(const assign_rows_arguments& k, Whole&& whole, Merged&& merged) {
    parallel::for_chunks(k.threads, k.c.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) {
            const row_of c{k.c.offsets[i], k.c.offsets[i + 1]}, t{k.t.offsets[i], k.t.offsets[i + 1]};
            if (k.rows && !bits::test(k.rows, i))
                whole(i, k.c, c);
            else if (!k.columns || c.length() == 0)
                whole(i, k.t, t);
            else
                merged(i, c, t);
        }
    });
}

// Values by position; a pattern's are one.
template <class U>
class values_of {
public:
    explicit values_of(const csr_entries& a)
        : data_(static_cast<const U*>(a.values)), step_(a.full() ? 1 : 0) {
        if (data_) return;
        storage::store(&one_, a.type, 0, storage::one_of(a.type));
        data_ = &one_;
    }
    values_of(const values_of&) = delete;
    values_of& operator=(const values_of&) = delete;
    U operator[](offset_t p) const { return data_[p * step_]; }

private:
    U one_{};
    const U* data_;
    offset_t step_;
};

}  // namespace

void assign_rows_count(const assign_rows_arguments& k) {
    each_row(
        k,
        [&](offset_t i, const csr_entries&, const row_of& r) {
            k.lengths[i] = static_cast<index_t>(r.length());
        },
        [&](offset_t i, const row_of& c, const row_of& t) {
            offset_t length = t.length();
            for (offset_t p = c.begin; p < c.end; ++p) length += !bits::test(k.columns, k.c.columns[p]);
            k.lengths[i] = static_cast<index_t>(length);
        });
}

void assign_rows_fill(const assign_rows_arguments& k) {
    storage::by_width(size_of(k.c.type), [&]<class U>(std::type_identity<U>) {
        U* const out = static_cast<U*>(k.out_values);
        const values_of<U> c_values(k.c), t_values(k.t);
        each_row(
            k,
            [&](offset_t i, const csr_entries& side, const row_of& r) {
                const offset_t at = k.out_offsets[i];
                const values_of<U> from(side);
                std::copy(side.columns + r.begin, side.columns + r.end, k.out_columns + at);
                for (offset_t p = 0; p < r.length(); ++p) out[at + p] = from[r.begin + p];
            },
            [&](offset_t i, const row_of& c, const row_of& t) {
                offset_t at = k.out_offsets[i], q = t.begin;
                const auto put = [&](index_t column, U value) {
                    k.out_columns[at] = column;
                    out[at++] = value;
                };
                for (offset_t p = c.begin; p < c.end; ++p) {
                    const index_t j = k.c.columns[p];
                    if (bits::test(k.columns, j)) continue;
                    for (; q < t.end && k.t.columns[q] < j; ++q) put(k.t.columns[q], t_values[q]);
                    put(j, c_values[p]);
                }
                for (; q < t.end; ++q) put(k.t.columns[q], t_values[q]);
            });
    });
}

}  // namespace nz::kernels::cpu
