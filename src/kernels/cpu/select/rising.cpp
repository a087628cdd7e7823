// select/rising: the places (i, j) of a square matrix whose row j is longer than row i, or as long with j > i: the edges of an
// undirected graph from smaller to larger degree, each once, no loop.
//
// Who owns what: runs of 256 rows go to whichever thread is free; a row belongs to one thread.
// Two passes: count leaves each row's length, fill writes the columns. Sync: the joins after them. No workspace.
// Cost: an entry and the two offsets of its column, twice. Determinism: nothing is summed.
// Why rows was not enough: its function is the caller's, two indirect calls an entry, and must be given the lengths.
#include "kernels/cpu/select/rising.hpp"

#include "core/parallel.hpp"

namespace nz::kernels::cpu {
namespace {

constexpr offset_t rows_a_turn = 256;

template <class Row>
void walk(const rising_arguments& k, Row&& row) {
    parallel::for_chunks(k.threads, k.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) {
            const offset_t begin = k.offsets[i], end = k.offsets[i + 1], own = end - begin;
            row(i, begin, end, [&](index_t j) {
                const offset_t other = k.offsets[j + offset_t{1}] - k.offsets[j];
                return other > own || (other == own && j > i);
            });
        }
    });
}

}  // namespace

void select_rising_count(const rising_arguments& k) {
    walk(k, [&](offset_t i, offset_t begin, offset_t end, auto&& rises) {
        index_t length = 0;
        for (offset_t p = begin; p < end; ++p) length += rises(k.columns[p]);
        k.lengths[i] = length;
    });
}

void select_rising_fill(const rising_arguments& k) {
    walk(k, [&](offset_t i, offset_t begin, offset_t end, auto&& rises) {
        offset_t place = k.out_offsets[i];
        for (offset_t p = begin; p < end; ++p)
            if (rises(k.columns[p])) k.out_columns[place++] = k.columns[p];
    });
}

}  // namespace nz::kernels::cpu
