// mxv/csr_merge: w = A u, entries shared out evenly, rows split where need be (dalton2015, section III-A).
//
// Partition: piece p of P takes as many blocks of 512 entries as the others and finds its first row by binary search.
// Reduce: products first, 512 at a time into the L1 cache, in the order of the entries; then their sums by rows, eight
//   lanes at once (common_lanes.hpp). Neither step branches on where rows end, so more gathers of u are under way at once
//   than a loop over short rows allows, and lengths that vary cost nothing. Where u has gaps, a product needs its row, or
//   the first product wins: row by row. A row that ends inside the piece is stored; the part of a row that does not is
//   the piece's carry.
// Update: by one thread, for the rows that begin in one piece and end in another (there are as many as threads): those of
//   up to 65,536 entries are summed anew as a piece would have, so that the number of threads does not show; carries of
//   longer ones are added to their rows, last piece first.
// Empty rows: without them the next row is simply the next one (the fast path, offsets as stored). With them the rows
//   that end among the 512 are first compacted to those that hold entries, as the paper does for the whole matrix.
// Who owns what: a thread owns one piece; boundaries fall anywhere, so presence words at the seam are written
//   with atomic or, gathered word by word. Joins: after reduce.
// Memory: as csr_row, plus a carry a thread; up to 10 KiB of stack.
// Determinism: same bits for any number of threads, except for sums of longer rows that two threads share: these depend on
//   where pieces begin, never on timing.
// Cost: as csr_row, balanced whatever the row lengths; time follows nnz + rows.
// Distance to the limit: docs/measurements/spmv.md, both paths.
// Why csr_row was not enough: a row longer than a thread's share leaves the other threads idle, and short rows of varying
//   length cost it a mispredicted branch each.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_lanes.hpp"
#include "kernels/cpu/mxv/common_row.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

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

/// Products that are formed before they are summed: 4 KiB of doubles stay in the L1 cache, and so many rows begin and
/// end among them that the ends of the loops do not count.
inline constexpr offset_t flat_products = 512;
/// Products summed at once: of rows with mean 3 and a power-law tail one in twenty is longer, and branches.
inline constexpr int flat_lanes = 8;

/// Whether a product can be formed before its row is known, and sums be padded.
template <class Cell, bool Gaps>
inline constexpr bool is_flat = pads<Cell> && !Gaps && Cell::multiply_id != binary_id::firsti;

/// The rows from one on, without the empty ones where there are any (Compact).
template <bool Compact>
class row_walk {
public:
    row_walk(const offset_reader& offsets, index_t rows, offset_t begin) : offsets_(offsets), rows_(rows) {
        index_t high = rows;  // the row that holds entry `begin`
        while (row_ < high) {
            const index_t mid = row_ + (high - row_) / 2;
            if (offsets_[mid + 1] <= begin)
                row_ = mid + 1;
            else
                high = mid;
        }
    }
    index_t row() const { return row_; }
    offset_t end() const { return offsets_[row_ + 1]; }
    /// To the next row, which begins where this one ended.
    void advance() {
        const offset_t begin = end();
        ++row_;
        if constexpr (Compact)
            while (row_ < rows_ && end() == begin) ++row_;
    }
    /// Calls f(row, begin, end) for the rows that end within (begin, stop], which are at most flat_products.
    template <class F>
    void each_until(offset_t begin, offset_t stop, F&& f) {
        if constexpr (!Compact) {
            for (offset_t row_end; begin < stop && (row_end = end()) <= stop; begin = row_end)
                f(row_++, begin, row_end);
        } else {
            index_t rows[flat_products + 1], count = 0;
            offset_t ends[flat_products + 1], last = begin;
            for (offset_t row_end; row_ < rows_ && (row_end = end()) <= stop; ++row_) {
                rows[count] = row_;  // overwritten by the next row unless this one holds entries
                ends[count] = row_end;
                count += row_end > last;
                last = row_end;
            }
            for (index_t k = 0; k < count; begin = ends[k++]) f(rows[k], begin, ends[k]);
        }
    }

private:
    offset_reader offsets_;
    index_t rows_, row_ = 0;
};

/// Sums entries [begin, end), row by row; store(row, met, value) for every row that ends among them.
template <class Reader, class Walk, class Store>
auto reduce_rows(const Reader& reader, offset_t begin, offset_t end, Walk walk, Store store) {
    carry<typename Reader::V> rest{-1, false, {}};
    for (; begin < end; walk.advance()) {
        const offset_t row_end = walk.end(), stop = std::min(row_end, end);
        typename Reader::V value{};
        const bool met = reader.sum(walk.row(), begin, stop, false, value);
        if (row_end <= end)
            store(walk.row(), met, value);
        else
            rest = {walk.row(), met, value};
        begin = stop;
    }
    return rest;
}

/// The same in two steps, products and sums, for flat_products entries at a time.
template <class Cell, class Reader, class Walk, class Store>
auto reduce_flat(const Reader& reader, offset_t begin, offset_t end, Walk walk, Store store) {
    using V = typename Cell::value;
    using lanes = lane_sum<Cell, flat_lanes>;
    alignas(64) V products[flat_products + flat_lanes] = {};
    V open = algebra::before_first<Cell>();  // what is known of the row that began before this step
    bool any = false;
    const auto close = [&](index_t row, V value) {
        store(row, true, Cell::add(std::exchange(open, algebra::before_first<Cell>()), value));
    };
    while (begin < end) {
        const offset_t row_left = std::min(walk.end(), end) - begin;
        // A long row gains nothing by the detour. Only from a block's begin on, wherever the piece began: the order of
        // a row's sum follows from its place alone.
        if (row_left >= flat_products && begin % flat_products == 0) {
            V value{};
            reader.sum(walk.row(), begin, begin + row_left, false, value);
            begin += row_left;
            any = walk.end() > begin;
            if (any) {
                open = Cell::add(open, value);
            } else {
                close(walk.row(), value);
                walk.advance();
            }
            continue;
        }
        const offset_t stop = std::min((begin / flat_products + 1) * flat_products, end);
        const auto count = static_cast<int>(stop - begin);
#pragma omp simd
        for (int k = 0; k < count; ++k) products[k] = reader.product(0, begin + k);
        offset_t at = begin;
        walk.each_until(begin, stop, [&](index_t row, offset_t row_begin, offset_t row_end) {
            close(row, lanes::of(products + (row_begin - begin), row_end - row_begin));
            at = row_end;
        });
        any = at < stop;
        if (any) open = Cell::add(open, lanes::of(products + (at - begin), stop - at));
        begin = stop;
    }
    return any ? carry<V>{walk.row(), true, open} : carry<V>{-1, false, {}};
}

/// Rows of up to so many entries that two pieces share are summed anew: 30 microseconds at most.
inline constexpr offset_t summed_anew = 65536;

/// The sum of a whole row in the order of the two above; false when no entry of u is met.
template <class Cell, bool Gaps, class Reader>
bool sum_row(const Reader& reader, const mxv_arguments& a, index_t row, typename Cell::value& sum) {
    const offset_t begin = a.offsets[row], end = a.offsets[row + offset_t{1}];
    if constexpr (is_flat<Cell, Gaps>) {
        const auto keep = [&](index_t, bool, typename Cell::value value) { sum = value; };
        reduce_flat<Cell>(reader, begin, end, row_walk<true>(a.offsets, a.output_size, begin), keep);
        return true;
    } else {
        return reader.sum(row, begin, end, false, sum);
    }
}

}  // namespace merge_detail

template <class Cell>
void csr_merge(const mxv_arguments& a) {
    using namespace merge_detail;
    using V = typename Cell::value;
    static_assert(sizeof(carry<V>) <= plan::merge_carry_bytes);
    plan::workspace_parts memory(a.workspace);
    auto* carries = memory.take<carry<V>>(a.threads);
    auto* out = static_cast<V*>(a.out_values);
    if (a.out_present) std::fill_n(a.out_present, bits::words_for(a.output_size), bits::word{0});
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        const auto reduce_piece = [&]<bool Compact>(int t, int threads) {
            const row_reader<Cell, Constant, Gaps> reader(a);
            const auto [first, last] =
                parallel::piece((a.nnz + flat_products - 1) / flat_products, t, threads);
            const offset_t begin = first * flat_products, end = std::min(last * flat_products, a.nnz);
            const row_walk<Compact> walk(a.offsets, a.output_size, begin);
            presence_writer present(a.out_present);
            const auto store = [&](index_t row, bool met, V value) {
                out[row] = value;
                if (met) present.mark(row);
            };
            if constexpr (is_flat<Cell, Gaps>)
                carries[t] = reduce_flat<Cell>(reader, begin, end, walk, store);
            else
                carries[t] = reduce_rows(reader, begin, end, walk, store);
        };
        parallel::run(a.threads, [&](int t, int threads) {
            a.compacts_rows ? reduce_piece.template operator()<true>(t, threads)
                            : reduce_piece.template operator()<false>(t, threads);
        });
        // A carry comes before the rest of its row, which the next pieces hold: to keep the order of entries (`any` takes
        // the first), parts are added from the last carry of a row to the first.
        const row_reader<Cell, Constant, Gaps> reader(a);
        for (int t = a.threads - 1; t >= 0; --t) {
            const carry<V>& c = carries[t];
            if (c.row < 0) continue;
            if (a.offsets[c.row + offset_t{1}] - a.offsets[c.row] <= summed_anew) {
                if (!sum_row<Cell, Gaps>(reader, a, c.row, out[c.row])) continue;
            } else {
                if (!c.any) continue;
                const bool stored = !a.out_present || bits::test(a.out_present, c.row);
                out[c.row] = stored ? Cell::add(c.value, out[c.row]) : c.value;
            }
            if (a.out_present) bits::set(a.out_present, c.row);
        }
    });
}

}  // namespace nz::kernels::cpu
