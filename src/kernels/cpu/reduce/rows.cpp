// reduce/rows: the sum of every row of a matrix over a monoid, and nothing for an empty row.
//
// Who owns what: runs of 256 rows, of whole words of presence, go to whichever thread is free; a row belongs to one thread.
// Plus, times, min, max and the logical ones on their own type are a loop for each type; others an indirect call an entry.
// Memory: offsets and values once. Sync: the join at the end. No workspace.
// Determinism: a row is added in the order it is stored in: the reference's bits, for any number of threads.
// Cost: an addition waits for the one before, some 4 cycles an entry of floats. Partial sums would change the bits.
// Why the reference was not enough: one thread, an indirect call and casts an entry.
#include "kernels/cpu/reduce/rows.hpp"

#include "algebra/bound.hpp"
#include "algebra/functors.hpp"
#include "core/parallel.hpp"

#include <atomic>

namespace nz::kernels::cpu {
namespace {

// sum(p, end) is that of a row's entries, of which there is one.
template <class T, class Sum>
offset_t each_row(const reduce_rows_arguments& k, Sum&& sum) {
    constexpr offset_t rows_a_turn = 256;
    static_assert(rows_a_turn % bits::per_word == 0);
    T* const sums = static_cast<T*>(k.sums);
    std::atomic<offset_t> held{0};
    parallel::for_chunks(k.threads, k.a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        offset_t n = 0;
        for (offset_t i = first; i < last; ++i) {
            if (i % bits::per_word == 0) k.present[i / bits::per_word] = 0;
            const offset_t begin = k.a.offsets[i], end = k.a.offsets[i + 1];
            if (begin == end) continue;
            sums[i] = sum(begin, end);
            k.present[i / bits::per_word] |= bits::word{1} << i % bits::per_word;
            ++n;
        }
        held += n;
    });
    return held;
}

// The sum of [x, end), in order. The least and greatest of floats: once a number is met NaN gives way to it, and a comparison alone is left,
// which is one instruction; asked for with each, half of them are mispredicted.
template <binary_id Add, class T>
T sum_of(const T* x, const T* end) {
    T total = *x++;
    if constexpr (std::is_floating_point_v<T> && (Add == binary_id::min || Add == binary_id::max)) {
        while (x < end && total != total) total = *x++;
        for (; x < end; ++x) {
            if constexpr (Add == binary_id::min)
                total = *x < total ? *x : total;
            else
                total = *x > total ? *x : total;
        }
    } else {
        for (; x < end; ++x) total = static_cast<T>(algebra::binary<Add>(total, *x));
    }
    return total;
}

template <binary_id Add, class T>
offset_t typed(const reduce_rows_arguments& k) {
    const T* const x = static_cast<const T*>(k.a.values);
    if (!k.a.full()) {  // one value for all entries, added as often
        const T one = x ? *x : T(1);
        return each_row<T>(k, [&](offset_t p, offset_t end) {
            T total = one;
            while (++p < end) total = static_cast<T>(algebra::binary<Add>(total, one));
            return total;
        });
    }
    return each_row<T>(k, [&](offset_t p, offset_t end) { return sum_of<Add>(x + p, x + end); });
}

template <class T>
offset_t typed(const reduce_rows_arguments& k, binary_id add) {
    switch (add) {
        case binary_id::plus:
            return typed<binary_id::plus, T>(k);
        case binary_id::times:
            return typed<binary_id::times, T>(k);
        case binary_id::min:
            return typed<binary_id::min, T>(k);
        case binary_id::max:
            return typed<binary_id::max, T>(k);
        case binary_id::lor:
            return typed<binary_id::lor, T>(k);
        case binary_id::land:
            return typed<binary_id::land, T>(k);
        case binary_id::lxor:
            return typed<binary_id::lxor, T>(k);
        case binary_id::any:
            return typed<binary_id::any, T>(k);
        default:
            return -1;
    }
}

}  // namespace

offset_t reduce_rows(const reduce_rows_arguments& k) {
    const algebra::bound_monoid add(*k.add, k.a.type);
    if (k.add->is_built_in() && add.type() == k.a.type) {
        const offset_t held =
            dispatch(k.a.type, [&]<class T>(std::type_identity<T>) { return typed<T>(k, k.add->id()); });
        if (held >= 0) return held;
    }
    return storage::by_width(size_of(add.type()), [&]<class U>(std::type_identity<U>) {
        const auto value = [&](offset_t p) { return cast(k.a.value(p), k.a.type, add.type()); };
        return each_row<U>(k, [&](offset_t p, offset_t end) {
            element total = value(p);
            while (++p < end) total = add(total, value(p));
            U sum;
            storage::store(&sum, add.type(), 0, total);
            return sum;
        });
    });
}

}  // namespace nz::kernels::cpu
