// mxd/csr_merge: C = A B for dense B and C, rows and entries shared out evenly, rows split where need be (dalton2015's
// partition of SpMV, section III-A, with a row of sums in place of a sum).
//
// Partition: rows and entries are one path (a row's end comes after its entries); piece t of P takes an equal length of it and
//   finds its first row by binary search. Empty rows are steps too: each costs a row of C.
// Reduce: rows that lie inside a piece are csr_tiled's. The part of a row that begins in an earlier piece and ends in this
//   one is the piece's head, the part of one that does not end in it the piece's tail: each a row of sums in the workspace.
// Update: tails and heads of a row are added in their order, by one thread, and written to C (at most one row a piece).
// Who owns what: a thread owns one piece. Joins: after reduce.
// Memory: as csr_tiled, plus two rows of sums a thread.
// Determinism: a split row is added in parts that depend on the number of threads, never on timing; other rows have the
//   reference's bits.
// Cost: as csr_tiled, balanced whatever the row lengths, plus threads * columns additions.
// Distance to the limit: docs/measurements/dense.md.
// Why csr_tiled was not enough: a row longer than a thread's share leaves the other threads idle, and so do few rows.
#pragma once

#include "kernels/cpu/mxd/common_tile.hpp"
#include "kernels/cpu/schedule/path.hpp"
#include "plan/mxd_workspace.hpp"

namespace nz::kernels::cpu {

namespace mxd_merge_detail {

/// What a piece leaves for the update. A head may be empty: the row's entries all lay in earlier pieces.
struct seam {
    index_t head_row = -1, tail_row = -1;
    bool head_any = false;
};

template <class V>
struct parts_memory {
    seam* seams;
    V* sums;
    index_t columns;

    parts_memory(const mxd_arguments& a, int parts) : columns(a.columns) {
        plan::workspace_parts memory(a.workspace);
        seams = memory.take<seam>(parts);
        sums = memory.take<V>(2 * static_cast<offset_t>(parts) * columns);
    }
    V* head(int t) const { return sums + 2 * static_cast<offset_t>(t) * columns; }
    V* tail(int t) const { return head(t) + columns; }
};

template <class Reader, class V>
void reduce_piece(const mxd_arguments& a, const Reader& reader, int t, int parts,
                  const parts_memory<V>& memory) {
    const row_cut from = cut_path(a.offsets, a.rows, t, parts),
                  to = cut_path(a.offsets, a.rows, t + 1, parts);
    seam& mine = memory.seams[t];
    mine = {};
    index_t row = from.row;
    const bool begun_before = row < a.rows && a.offsets[row] < from.entry;
    if (begun_before && row < to.row) {
        const offset_t end = a.offsets[row + offset_t{1}];
        mine.head_row = row++;
        mine.head_any = from.entry < end;
        if (mine.head_any) reader.whole_row(from.entry, end, false, memory.head(t));
    }
    if (row < to.row) reader.rows(row, to.row);
    if (to.row == a.rows) return;
    const offset_t begin = std::max(a.offsets[to.row], from.entry);
    if (begin < to.entry) {
        mine.tail_row = to.row;
        reader.whole_row(begin, to.entry, false, memory.tail(t));
    }
}

template <class Cell, class Reader, class V>
void update(const mxd_arguments& a, const Reader& reader, int parts, const parts_memory<V>& memory) {
    V* open = nullptr;  // the sums so far of a row that has not ended
    const auto join = [&](V* next) {
        if (!open)
            open = next;
        else
            for (index_t j = 0; j < a.columns; ++j) open[j] = Cell::add(open[j], next[j]);
    };
    for (int t = 0; t < parts; ++t) {
        const seam& s = memory.seams[t];
        if (s.head_row >= 0) {
            if (s.head_any) join(memory.head(t));
            reader.store(s.head_row, open);
            open = nullptr;
        }
        if (s.tail_row >= 0) join(memory.tail(t));
    }
}

}  // namespace mxd_merge_detail

template <class Cell>
void mxd_csr_merge(const mxd_arguments& a) {
    using namespace mxd_merge_detail;
    static_assert(sizeof(seam) <= plan::mxd_seam_bytes);
    const int parts = mxd_parts(a);
    const parts_memory<typename Cell::value> memory(a, parts);
    with_layout(a, [&]<bool Contiguous>() {
        const tile_reader<Cell, Contiguous> reader(a);
        parallel::run(parts, [&](int t, int) { reduce_piece(a, reader, t, parts, memory); });
        update<Cell>(a, reader, parts, memory);
    });
}

}  // namespace nz::kernels::cpu
