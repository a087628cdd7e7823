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
// AVX-512, where the machine has it: sums of floats, products with u or u alone, 16 rows at once (common_tile_wide.hpp). One thread of an EPYC
//   (Zen 4), tiles of 16, a build for any x86-64, before -> after, ms, cage10, fe_body, laplace3d:60, banded:500000,21, laplace2d:1000, fe_body (x) 6x6: every
//   entry of u, float64 0.230 -> 0.104, 0.861 -> 0.309, 7.8 -> 4.6, 18.3 -> 5.1, 8.5 -> 5.0, 23.8 -> 9.9; float32 0.224 -> 0.077, 0.834 -> 0.228, 7.7 -> 2.7,
//   18.2 -> 4.6, 8.2 -> 3.4, 23.2 -> 7.8; density 0.1, float64 0.309 -> 0.081, 0.732 -> 0.258, 11.7 -> 6.5, 14.7 -> 9.6, 10.9 -> 8.8, 20.0 -> 12.8;
//   0.01 0.96 to 2.3 times as fast, 0.001 0.99 to 1.3 times. In a build for this machine, where GCC had kept the loop's numbers in vector registers
//   (now a function of its own), float64 with every entry 0.394 -> 0.107, 1.24 -> 0.31, 13.6 -> 4.6, 26.9 -> 5.1, 13.0 -> 5.2, 36.7 -> 10.3;
//   at 0.01 laplace2d:1000 is the loss, 0.8 to 1.0. The plain loops: 0.9 to 1.5 times as fast as before in a build for any x86-64, 1.0 to 2.6 times in one for
//   this machine. Tiles of 32 and 64 take AVX-512 where u has gaps: 1.5 to 3.2 times as fast at 0.1, 1.0 to 3.3 at 0.01.
// Distance to the limit, before AVX-512: two threads, double, tiles of 16 (bench/records/cpu-2-threads-papers.json, five matrices): with every
//   entry of u 0.9 to 2.6 times csr_merge's time (fe_body (x) 6x6 20 ms for 7.8: a sum is in memory, looked up by each entry's
//   row); at densities of 0.1, 0.01, 0.001, 0.0001 0.8 to 1.45, 0.4 to 0.7, 0.1 to 0.4, 0.08 to 0.3 of it. From 0.01 on gathers
//   along columns take 4 to 190 times less, so the plan never takes tiles for products on a CPU.
// Why csr_row was not enough: it looks at every entry to find that u has nothing there, and reads four bytes of
//   column for each.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_tile_wide.hpp"

namespace nz::kernels::cpu {

template <class Cell>
void tile_row(const mxv_arguments& a) {
    constexpr offset_t words_a_turn = 16;
    with_tile_reader<Cell>(a, has_wide_tiles(), [&](const auto& reader) {
        parallel::for_chunks(a.threads, static_cast<offset_t>(bits::words_for(a.output_size)), words_a_turn,
                             [&](offset_t begin, offset_t end) {
                                 for (offset_t w = begin; w < end; ++w)
                                     write_tile_rows(reader, a, static_cast<std::size_t>(w),
                                                     [](index_t) { return true; });
                             });
    });
}

}  // namespace nz::kernels::cpu
