// apply/rows: f(x, i, j) for the entries of a matrix, which keep their places; any function.
//
// Who owns what: runs of 256 rows go to whichever thread is free. The function is the caller's, so it must be pure and may be called by
//   several threads. Sync: the join at the end. No workspace. Determinism: no sum.
// Cost: an indirect call an entry, shared out.
// Why words was not enough: it has the operators that are compiled, which look at values alone. Why the reference was not: one thread,
//   and an append for every entry.
#include "kernels/cpu/apply/rows.hpp"

#include "core/parallel.hpp"

namespace nz::kernels::cpu {

void apply_rows(const apply_rows_arguments& k) {
    constexpr offset_t rows_a_turn = 256;
    parallel::for_chunks(k.threads, k.a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i)
            for (offset_t p = k.a.offsets[i]; p < k.a.offsets[i + 1]; ++p)
                storage::store(k.out_values, k.f->type, p,
                               k.f->call(k.a.value(p), static_cast<index_t>(i), k.a.columns[p]));
    });
}

}  // namespace nz::kernels::cpu
