// mxv/tile_row: every row of tiles of w = A u over the tiles that meet an entry of u (ji2022, algorithm 4).
//
// Who owns what: a thread takes the next 16 words of the output (1,024 rows) from a shared counter, and sums the 16, 32 or
//   64 rows of a row of tiles together, tile after tile: entries of a tile follow each other, whatever their row.
// Memory: a tile whose columns hold no entry of u costs its column and a look at u's presence; any other its values, one
//   or two bytes an entry for its place, and 16 to 64 neighbouring values of u. Entries outside tiles cost what they do in
//   the CSR.
// Determinism: tiles in the order of their columns, then the row's entries outside tiles; one thread a row. `any` is the
//   entry with the smallest column.
// Cost: tiles of the rows that the mask lets through + entries of the tiles that u meets.
// Distance to the limit: two threads, double, tiles of 16 (bench/records/cpu-2-threads-papers.json, five matrices): with every
//   entry of u 0.9 to 2.6 times csr_merge's time (fe_body (x) 6x6 20 ms for 7.8: a sum is in memory, looked up by each entry's
//   row); at densities of 0.1, 0.01, 0.001, 0.0001 0.8 to 1.45, 0.4 to 0.7, 0.1 to 0.4, 0.08 to 0.3 of it. From 0.01 on gathers
//   along columns take 4 to 190 times less, so the plan never takes tiles for products on a CPU.
// Why csr_row was not enough: it looks at every entry to find that u has nothing there, and reads four bytes of
//   column for each.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_tile.hpp"

namespace nz::kernels::cpu {

template <class Cell>
void tile_row(const mxv_arguments& a) {
    constexpr offset_t words_a_turn = 16;
    with_tile_reader<Cell>(a, [&](const auto& reader) {
        parallel::for_chunks(a.threads, static_cast<offset_t>(bits::words_for(a.output_size)), words_a_turn,
                             [&](offset_t begin, offset_t end) {
                                 for (offset_t w = begin; w < end; ++w)
                                     write_tile_rows(reader, a, static_cast<std::size_t>(w),
                                                     [](index_t) { return true; });
                             });
    });
}

}  // namespace nz::kernels::cpu
