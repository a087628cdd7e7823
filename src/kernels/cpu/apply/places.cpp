// apply/places: a number made of the row and the column of each entry, which keeps its place: rowindex, colindex, diagindex.
//
// Who owns what: without rows a thread owns an even piece of the entries, with rows runs of 256 rows go to whichever thread is free.
// Memory: the columns once where they count, 8 bytes an entry written. No workspace. Sync: the join at the end. Determinism: no sum.
// Distance to the limit (two threads, 8 M entries): docs/measurements/conversions.md (what is wide or long and holds little); 2.1 ms of a vector, 64 MB.
// Why rows was not enough: an indirect call an entry, for what is two additions.
#include "kernels/cpu/apply/places.hpp"

#include "core/parallel.hpp"

namespace nz::kernels::cpu {

void apply_places(const apply_places_arguments& k) {
    const auto run = [&k](std::int64_t i, offset_t begin, offset_t end) {
        for (offset_t p = begin; p < end; ++p) k.to[p] = k.of(i, k.columns ? k.columns[p] : p);
    };
    if (k.row == 0)
        return parallel::for_pieces(k.threads, k.entries,
                                    [&](offset_t begin, offset_t end) { run(0, begin, end); });
    constexpr offset_t rows_a_turn = 256;
    parallel::for_chunks(k.threads, k.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) run(i, k.offsets[i], k.offsets[i + 1]);
    });
}

}  // namespace nz::kernels::cpu
