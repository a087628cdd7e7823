// kronecker/rows: C(i * rows of B + k, j * columns of B + l) = op(A(i,j), B(k,l)), for any operator.
//
// Who owns what: runs of 64 rows of C go to whichever thread is free; a row belongs to one thread. Its place is known beforehand: nothing
//   is counted. Sync: the join at the end. No workspace. Determinism: nothing is summed.
// Memory: A and B, which are read over and over, and C once. Cost: an indirect call an entry, shared out.
// Why the reference was not enough: one thread, and an append an entry.
#include "kernels/cpu/kronecker/rows.hpp"

#include "core/parallel.hpp"

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 64;

template <class Offset>
void fill(const kronecker_arguments& k, Offset* out_offsets) {
    const index_t b_rows = k.b.rows;
    const offset_t rows = offset_t{k.a.rows} * b_rows;
    const dtype type = k.op->type();
    parallel::for_chunks(k.threads, rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t row = first; row < last; ++row) {
            const auto i = static_cast<index_t>(row / b_rows), m = static_cast<index_t>(row % b_rows);
            const offset_t begin = k.a.offsets[i], end = k.a.offsets[i + offset_t{1}];
            offset_t at = kronecker_offset(begin, end, k.b.offsets[m], k.b_entries);
            out_offsets[row] = static_cast<Offset>(at);
            for (offset_t p = begin; p < end; ++p) {
                const index_t j = k.a.columns[p];
                const element x = k.a.value(p);
                for (offset_t q = k.b.offsets[m]; q < k.b.offsets[m + offset_t{1}]; ++q) {
                    const index_t l = k.b.columns[q];
                    k.out_columns[at] = j * k.b_columns + l;
                    storage::store(k.out_values, type, at++, (*k.op)(x, k.b.value(q), {i, j, m, l}));
                }
            }
        }
    });
    out_offsets[rows] = static_cast<Offset>(rows == 0 ? 0 : k.a.offsets[k.a.rows] * k.b_entries);
}

}  // namespace

void kronecker_rows(const kronecker_arguments& k) {
    k.wide ? fill(k, static_cast<std::int64_t*>(k.out_offsets))
           : fill(k, static_cast<std::int32_t*>(k.out_offsets));
}

}  // namespace nz::kernels::cpu
