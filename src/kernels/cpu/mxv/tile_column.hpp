// mxv/tile_column: the rows of tiles of w = A u that u's tiles reach, and no others (ji2022, section 3.3, driven by the
// vector).
//
// First the columns of tiles in which u has an entry mark the rows of tiles that they meet; then the marked ones are summed
//   as tile_row does. The paper merges columns into the result with atomic additions; marking first keeps sums in one
//   order, and the rows that are marked read nothing twice.
// Who owns what: marking by one thread (u is sparse where this pays); summing as tile_row.
// Memory: u's presence bitmap, the lists of the columns that hold something, a bit a row of tiles, and what
//   tile_row reads of the marked rows.
// Determinism: as tile_row; marks have no order.
// Cost: entries / 64 + lists of the tiles of u + tiles of the marked rows + entries of those that u meets.
// AVX-512, where the machine has it: as tile_row. Same matrices and build, float64, before -> after, ms: density 0.1 0.271 -> 0.094, 0.652 -> 0.311, 11.9 -> 6.7,
//   14.6 -> 9.9, 12.0 -> 9.6, 20.0 -> 13.3; 0.01 0.94 to 2.4 times as fast, 0.001 0.95 to 1.5 times. In a build for this machine laplace2d:1000 is 0.7 to 0.9 times as
//   fast at 0.01 and 0.85 at 0.001: rows of tiles of which u meets a single one, thinly filled, for which a list is too much.
// Distance to the limit, before AVX-512: as tile_row's (bench/records/cpu-2-threads-papers.json): at densities of 0.1, 0.01, 0.001, 0.0001 0.7 to
//   1.1, 0.3 to 0.7, 0.07 to 0.5, 0.03 to 0.26 of csr_merge's time; gathers along columns take less from 0.01 on.
// Why tile_row was not enough: it asks every tile whether u has something for it.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_tile_wide.hpp"

#include <algorithm>

namespace nz::kernels::cpu {

namespace tile_detail {

inline void mark_column(const mxv_arguments& a, offset_t column, bits::word* marked) {
    for (offset_t k = a.tiles.met_starts[column]; k < a.tiles.met_starts[column + 1]; ++k)
        bits::set(marked, a.tiles.met[k]);
}

// Sets a bit for each row of tiles that an entry of u meets.
inline void mark_rows(const mxv_arguments& a, bits::word* marked) {
    const offset_t tile_rows = (offset_t{a.output_size} + a.tiles.size - 1) / a.tiles.size;
    std::fill_n(marked, bits::words_for(tile_rows), 0);
    if (!a.u_present) {
        std::fill_n(marked, bits::words_for(tile_rows), ~bits::word{0});
        return;
    }
    const int size = a.tiles.size;
    for (std::size_t w = 0; w < bits::words_for(a.u_size); ++w) {
        const bits::word there = a.u_present[w] & bits::valid(a.u_size, w);
        for (int part = 0; there && part < bits::per_word; part += size)
            if (there >> part & (size == 64 ? ~bits::word{0} : (bits::word{1} << size) - 1))
                mark_column(a, (static_cast<offset_t>(w) * bits::per_word + part) / size, marked);
    }
}

}  // namespace tile_detail

template <class Cell>
void tile_column(const mxv_arguments& a) {
    constexpr offset_t words_a_turn = 16;
    auto* marked = static_cast<bits::word*>(a.workspace);
    tile_detail::mark_rows(a, marked);
    with_tile_reader<Cell>(a, has_wide_tiles(), [&](const auto& reader) {
        parallel::for_chunks(a.threads, static_cast<offset_t>(bits::words_for(a.output_size)), words_a_turn,
                             [&](offset_t begin, offset_t end) {
                                 for (offset_t w = begin; w < end; ++w)
                                     write_tile_rows(reader, a, static_cast<std::size_t>(w),
                                                     [&](index_t i) { return bits::test(marked, i); });
                             });
    });
}

}  // namespace nz::kernels::cpu
