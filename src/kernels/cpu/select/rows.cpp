// select/rows: the entries of a matrix for which a function is not 0, in CSR.
//
// Who owns what: runs of 256 rows go to whichever thread is free; a row belongs to one thread.
// Comparisons of places, and of values with a number, are a loop for each operator and type. Any other function is called by its address:
//   it is the caller's, so it must be pure, and several threads call it.
// Two passes: count leaves each row's length; fill looks again and writes every entry where the next one kept belongs, moving on behind those
//   that are kept, so that it has no branch to guess; a run of rows ends with its last one.
// Memory: columns, or values compared, twice, the others once, and the result. Sync: the joins after count and fill. No workspace.
// Determinism: nothing is summed.
// Why the reference was not enough: one thread, an indirect call and an append an entry.
#include "kernels/cpu/select/rows.hpp"

#include "core/parallel.hpp"
#include "kernels/select_compare.hpp"

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 256;

// Any function.
struct by_function {
    const select_arguments& k;
    bool operator()(offset_t i, offset_t p, offset_t j) const {
        return from_element<bool>(
            cast(k.keep->call(k.a.value(p), static_cast<index_t>(i), static_cast<index_t>(j)), k.keep->type,
                 dtype::boolean));
    }
};

// Comparisons whose operator the loop knows.
template <index_unary_id Op>
struct by_place {
    offset_t with;
    bool operator()(offset_t i, offset_t p, offset_t j) const { return place_compares{Op, with}(i, p, j); }
};
template <index_unary_id Op, class T>
struct by_value {
    T with;
    const T* values;
    bool operator()(offset_t i, offset_t p, offset_t j) const {
        return value_compares<T>{Op, with, values}(i, p, j);
    }
};

// Calls f with what keeps entries.
template <class F>
void with_kept(const select_arguments& k, F&& f) {
    using enum index_unary_id;
    const auto place = [&]<index_unary_id... Op>() {
        ((k.op == Op ? f(by_place<Op>{from_element<std::int64_t>(k.thunk)}) : void()), ...);
    };
    const auto value = [&]<index_unary_id... Op>() {
        dispatch(k.a.type, [&]<class T>(std::type_identity<T>) {
            const T with = from_element<T>(k.thunk);
            const T* const values = static_cast<const T*>(k.a.values);
            ((k.op == Op ? f(by_value<Op, T>{with, values}) : void()), ...);
        });
    };
    if (!k.compiled)
        f(by_function{k});
    else if (k.op < valueeq)
        place.template operator()<tril, triu, diag, offdiag, rowle, rowgt, colle, colgt>();
    else
        value.template operator()<valueeq, valuene, valuelt, valuele, valuegt, valuege>();
}

template <class Keep, class Move>
void fill(const select_arguments& k, const Keep& keep, Move&& move) {
    parallel::for_chunks(k.threads, k.a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        offset_t at = k.out_offsets[first];
        const offset_t limit = k.out_offsets[last];
        for (offset_t i = first; i < last; ++i)
            for (offset_t p = k.a.offsets[i], end = k.a.offsets[i + 1]; p < end && at < limit; ++p) {
                const index_t j = k.a.columns[p];
                k.out_columns[at] = j;
                move(at, p);
                at += keep(i, p, j);
            }
    });
}

}  // namespace

void select_rows_count(const select_arguments& k) {
    with_kept(k, [&](const auto& keep) {
        parallel::for_chunks(k.threads, k.a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
            for (offset_t i = first; i < last; ++i) {
                index_t length = 0;
                for (offset_t p = k.a.offsets[i], end = k.a.offsets[i + 1]; p < end; ++p)
                    length += keep(i, p, k.a.columns[p]);
                k.lengths[i] = length;
            }
        });
    });
}

void select_rows_fill(const select_arguments& k) {
    with_kept(k, [&](const auto& keep) {
        if (!k.out_values) return fill(k, keep, [](offset_t, offset_t) {});
        storage::by_width(size_of(k.a.type), [&]<class U>(std::type_identity<U>) {
            const U* const from = static_cast<const U*>(k.a.values);
            U* const to = static_cast<U*>(k.out_values);
            fill(k, keep, [=](offset_t at, offset_t p) { to[at] = from[p]; });
        });
    });
}

}  // namespace nz::kernels::cpu
