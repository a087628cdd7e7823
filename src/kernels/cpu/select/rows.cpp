// select/rows: the entries of a matrix for which a function is not 0, in CSR.
//
// Who owns what: runs of 256 rows go to whichever thread is free; a row belongs to one thread.
// Two passes: count calls the function and leaves each row's length; fill calls it again and writes. The function is the
//   caller's, so it must be pure and may be called by several threads.
// Sync: the joins after count and fill. No workspace. Determinism: nothing is summed.
// Cost: two indirect calls an entry, shared out. Keeping what the first pass found would cost a bit an entry and save
//   one call; not worth it while what follows (a product) costs many times more.
// Why the reference was not enough: one thread, and an append for every entry.
#include "kernels/cpu/select/rows.hpp"

#include "core/parallel.hpp"

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 256;

// Calls found(p) for the positions that are kept, row by row, and done(i) after each row.
template <class Found, class Done>
void walk(const select_arguments& k, Found&& found, Done&& done) {
    const auto kept = [&](index_t i, offset_t p) {
        return from_element<bool>(
            cast(k.keep->call(k.a.value(p), i, k.a.columns[p]), k.keep->type, dtype::boolean));
    };
    parallel::for_chunks(k.threads, k.a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) {
            for (offset_t p = k.a.offsets[i]; p < k.a.offsets[i + 1]; ++p)
                if (kept(static_cast<index_t>(i), p)) found(i, p);
            done(i);
        }
    });
}

}  // namespace

void select_rows_count(const select_arguments& k) {
    std::fill_n(k.lengths, k.a.rows, index_t{0});
    walk(k, [&](offset_t i, offset_t) { ++k.lengths[i]; }, [](offset_t) {});
}

void select_rows_fill(const select_arguments& k) {
    std::fill_n(k.lengths, k.a.rows, index_t{0});
    walk(
        k,
        [&](offset_t i, offset_t p) {
            const offset_t place = k.out_offsets[i] + k.lengths[i]++;
            k.out_columns[place] = k.a.columns[p];
            if (k.out_values) storage::store(k.out_values, k.a.type, place, k.a.value(p));
        },
        [](offset_t) {});
}

}  // namespace nz::kernels::cpu
