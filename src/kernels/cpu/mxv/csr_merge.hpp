// mxv/csr_merge: w = A u, entries shared out evenly, rows split where need be (dalton2015, section III-A).
//
// Partition: piece p of P takes entries [p*nnz/P, (p+1)*nnz/P) and finds its first row by binary search.
// Reduce: it sums row by row. A row that ends inside the piece is stored; the part of a row that does not is the
//   piece's carry.
// Update: carries are added to their rows, last piece first, by one thread (there are as many as threads).
// Empty rows: without them the next row is simply the next one (the fast path, offsets as stored). With them the
//   offsets are first compacted to the rows that hold entries, O(rows) a call, as the paper does.
// Who owns what: a thread owns one piece; boundaries fall anywhere, so presence words at the seam are written
//   with atomic or, gathered word by word. Joins: after reduce.
// Memory: as csr_row, plus a carry a thread, and 12 bytes a row where rows are compacted.
// Determinism: sums depend on where pieces begin, i.e. on the number of threads, never on timing.
// Cost: as csr_row, balanced whatever the row lengths; time follows nnz + rows.
// Distance to the limit: docs/measurements.md, both paths.
// Why csr_row was not enough: a row longer than a thread's share leaves the other threads idle.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_row.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>
#include <atomic>

namespace nz::kernels::cpu {

namespace merge_detail {

template <class V>
struct carry {
    index_t row;
    bool any;  ///< whether an entry of u was met
    V value;
};

/// Gathers the bits of one word before writing it, since rows come in order; two threads may share a word.
class presence_writer {
public:
    explicit presence_writer(bits::word* words) : words_(words) {}
    ~presence_writer() { flush(); }
    void mark(index_t i) {
        if (!words_) return;
        if (i / bits::per_word != at_) {
            flush();
            at_ = i / bits::per_word;
        }
        gathered_ |= bits::word{1} << (i % bits::per_word);
    }

private:
    void flush() {
        if (gathered_) std::atomic_ref(words_[at_]).fetch_or(gathered_, std::memory_order_relaxed);
        gathered_ = 0;
    }
    bits::word* words_;
    bits::word gathered_ = 0;
    index_t at_ = -1;
};

/// The rows that hold entries: row numbers, and ends[k] = where the k-th of them ends.
struct compacted_rows {
    index_t count = 0;
    offset_t* ends = nullptr;
    index_t* rows = nullptr;
};

inline compacted_rows compact(const mxv_arguments& a, plan::workspace_parts& memory) {
    compacted_rows c;
    c.ends = memory.take<offset_t>(a.output_size + offset_t{1});
    c.rows = memory.take<index_t>(a.output_size + offset_t{1});
    offset_t begin = 0;
    for (index_t i = 0; i < a.output_size; ++i) {
        const offset_t end = a.offsets[i + 1];
        c.ends[c.count] = end;  // overwritten by the next row unless this one holds entries
        c.rows[c.count] = i;
        c.count += end > begin;
        begin = end;
    }
    return c;
}

/// Sums piece [begin, end) from the row that holds `begin`; store(row, met, value) for every row that ends
/// inside.
template <class Reader, class RowOf, class EndOf, class Store>
auto reduce_piece(const Reader& reader, offset_t begin, offset_t end, index_t r, RowOf row_of, EndOf end_of,
                  Store store) {
    carry<typename Reader::V> rest{-1, false, {}};
    while (begin < end) {
        const offset_t row_end = end_of(r), stop = std::min(row_end, end);
        const index_t row = row_of(r);
        typename Reader::V value{};
        const bool met = reader.sum(row, begin, stop, false, value);
        if (row_end <= end)
            store(row, met, value);
        else
            rest = {row, met, value};
        begin = stop;
        ++r;
    }
    return rest;
}

}  // namespace merge_detail

template <class Cell>
void csr_merge(const mxv_arguments& a) {
    using namespace merge_detail;
    using V = typename Cell::value;
    static_assert(sizeof(carry<V>) <= plan::merge_carry_bytes);
    plan::workspace_parts memory(a.workspace);
    auto* carries = memory.take<carry<V>>(a.threads);
    compacted_rows rows;
    if (a.compacts_rows) rows = compact(a, memory);
    auto* out = static_cast<V*>(a.out_values);
    if (a.out_present) std::fill_n(a.out_present, bits::words_for(a.output_size), bits::word{0});
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        parallel::run(a.threads, [&](int t, int threads) {
            const row_reader<Cell, Constant, Gaps> reader(a);
            const auto [begin, end] = parallel::piece(a.nnz, t, threads);
            presence_writer present(a.out_present);
            const auto store = [&](index_t row, bool met, V value) {
                out[row] = value;
                if (met) present.mark(row);
            };
            if (a.compacts_rows) {
                const auto first = static_cast<index_t>(
                    std::upper_bound(rows.ends, rows.ends + rows.count, begin) - rows.ends);
                carries[t] = reduce_piece(
                    reader, begin, end, first, [&](index_t r) { return rows.rows[r]; },
                    [&](index_t r) { return rows.ends[r]; }, store);
            } else {
                index_t low = 0, high = a.output_size;  // the row that holds entry `begin`
                while (low < high) {
                    const index_t mid = low + (high - low) / 2;
                    if (a.offsets[mid + 1] <= begin)
                        low = mid + 1;
                    else
                        high = mid;
                }
                carries[t] = reduce_piece(
                    reader, begin, end, low, [](index_t r) { return r; },
                    [&](index_t r) { return a.offsets[r + 1]; }, store);
            }
        });
    });
    // Update. A carry comes before the rest of its row, which the next pieces hold: to keep the order of
    // entries
    // (`any` takes the first), parts are added from the last carry of a row to the first.
    for (int t = a.threads - 1; t >= 0; --t) {
        const carry<V>& c = carries[t];
        if (c.row < 0 || !c.any) continue;
        const bool stored = !a.out_present || bits::test(a.out_present, c.row);
        out[c.row] = stored ? Cell::add(c.value, out[c.row]) : c.value;
        if (a.out_present) bits::set(a.out_present, c.row);
    }
}

}  // namespace nz::kernels::cpu
