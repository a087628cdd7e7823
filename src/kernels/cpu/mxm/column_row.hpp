// mxm/column_row: C = A B in matam2012's column-row form (Algorithm 2): a strip of A's rows, columns of A against rows
// of B, with accumulators bounded both ways.
//
// Computes: for a block of consecutive rows of A its entries in the order of columns (k, row); each k takes its row of B
//   once for all rows of the block that have it, one strip of columns after the other. Sums and bits are a block's rows
//   times a strip's columns (the paper's PartialOutput and NonZeroIndices). Blocks end after eight rows.
// Who owns what: runs of rows with about as many products each go to whichever thread is free (common_rows.hpp); a block
//   lies within one run.
// Count: where a strip of a block is done its bits are added to the rows' counts. Fill: rows of a block have their own
//   next place in the result, which grows strip by strip.
// Determinism: products of one place are added in the order of k, by one thread.
// Sync: the joins after count and fill. Workspace a thread: a block's sums and bits, its entries of A with their positions.
// Cost: products, a sort of A's entries, and an entry of A looked at for every strip that its block meets.
// Why it is not the planned one: rows of B are read again from the cache at no cost, so a block saves little; it pays
//   where B's rows come from memory and neighbouring rows of A share them.
#pragma once

#include "core/bits.hpp"
#include "kernels/cpu/mxm/common_rows.hpp"
#include "plan/mxm_workspace.hpp"

#include <bit>

namespace nz::kernels::cpu {

void column_row_count(const mxm_arguments& arguments);

namespace column_row_detail {

using plan::block_columns;
using plan::block_rows;

/// An entry of a block of A: row within it, column k, position; and where its row of B goes on.
struct block_entry {
    index_t k, row;
    offset_t position, next, end;
};

/// One thread's blocks. Values decides what is summed: see the filler and the counter.
template <class Values>
class blocks {
public:
    blocks(const mxm_arguments& k, int t)
        : k_(k),
          parts_(static_cast<std::byte*>(k.workspace) +
                 plan::column_row_workspace(k.most_entries, k.value_bytes) * static_cast<std::size_t>(t)),
          entries_(reinterpret_cast<block_entry*>(parts_.take<std::byte>(
              k.most_entries * block_rows * static_cast<offset_t>(sizeof(block_entry))))),
          bits_(parts_.take<bits::word>(block_rows * block_columns / 64)),
          values_(k, parts_) {
        static_assert(sizeof(block_entry) == plan::block_entry_bytes);
        std::fill_n(bits_, block_rows * block_columns / 64, bits::word{0});
    }

    void operator()(index_t first, index_t last) {
        for (index_t i = first, rows; i < last; i += rows) {
            rows = std::min<index_t>(block_rows, last - i);
            values_.begin_block(i, rows);
            index_t low = take_entries(i, rows);
            while (low < k_.columns) {
                const index_t begin = low / block_columns * block_columns;
                low = add_strip(i, begin);
                read_out(begin, rows);
            }
            values_.end_block(i, rows);
        }
    }

private:
    // The block's entries by column; the smallest column of their rows of B.
    index_t take_entries(index_t first, index_t rows) {
        index_t low = k_.columns;
        count_ = 0;
        for (index_t r = 0; r < rows; ++r) {
            const span_of_row a = row_of(k_.a.offsets, first + r);
            for (offset_t p = a.begin; p < a.end; ++p) {
                const span_of_row b = row_of(k_.b.offsets, k_.a.columns[p]);
                if (b.size() == 0) continue;
                entries_[count_++] = {k_.a.columns[p], r, p, b.begin, b.end};
                low = std::min(low, k_.b.columns[b.begin]);
            }
        }
        std::sort(entries_, entries_ + count_, [](const block_entry& x, const block_entry& y) {
            return x.k != y.k ? x.k < y.k : x.row < y.row;
        });
        return low;
    }

    index_t add_strip(index_t first, index_t begin) {
        const offset_t limit = offset_t{begin} + block_columns;
        index_t low = k_.columns;
        for (block_entry* e = entries_; e != entries_ + count_; ++e) {
            offset_t q = e->next;
            if (q == e->end) continue;
            const auto scaled = values_.scale(first + e->row, e->position, e->k, e->row);
            bits::word* words = bits_ + e->row * (block_columns / 64);
            for (; q < e->end && k_.b.columns[q] < limit; ++q) {
                const index_t at = k_.b.columns[q] - begin;
                values_.add(scaled, at, q, words[at >> 6] >> (at & 63) & 1);
                words[at >> 6] |= bits::word{1} << (at & 63);
            }
            e->next = q;
            if (q < e->end) low = std::min(low, k_.b.columns[q]);
        }
        return low;
    }

    void read_out(index_t begin, index_t rows) {
        for (index_t w = 0; w < rows * (block_columns / 64); ++w)
            if (const bits::word word = std::exchange(bits_[w], 0))
                values_.take(w / (block_columns / 64), begin, w % (block_columns / 64) * 64, word);
    }

    const mxm_arguments& k_;
    plan::workspace_parts parts_;
    block_entry* entries_;
    offset_t count_ = 0;
    bits::word* bits_;
    Values values_;
};

/// Sums a block of a cell's products.
template <class Cell>
class summed {
public:
    using V = typename Cell::value;
    struct scaled {
        typename Cell::operand x;
        index_t i, k;
        V* sums;
    };
    summed(const mxm_arguments& k, plan::workspace_parts& parts)
        : k_(k), of_(k), sums_(parts.take<V>(block_rows * block_columns)) {
        std::fill_n(sums_, block_rows * block_columns, before_first<Cell>());
    }
    void begin_block(index_t first, index_t rows) {
        for (index_t r = 0; r < rows; ++r) places_[r] = k_.offsets[first + r];
    }
    void end_block(index_t, index_t) {}
    scaled scale(index_t i, offset_t p, index_t k, index_t row) const {
        return {of_.a(p), i, k, sums_ + row * block_columns};
    }
    [[gnu::always_inline]] void add(const scaled& s, index_t at, offset_t q, bool present) {
        add_product<Cell>(s.sums[at], Cell::multiply(s.x, of_.b(q), s.i, s.k), present);
    }
    void take(index_t row, index_t begin, index_t first, bits::word word) {
        V* sums = sums_ + row * block_columns;
        offset_t& place = places_[row];
        for (; word; word &= word - 1) {
            const index_t at = first + std::countr_zero(word);
            of_.out_columns[place] = begin + at;
            of_.out_values[place++] = std::exchange(sums[at], before_first<Cell>());
        }
    }

private:
    const mxm_arguments& k_;
    mxm_operands<Cell> of_;
    V* sums_;
    offset_t places_[block_rows] = {};
};

}  // namespace column_row_detail

template <class Cell>
void column_row_fill(const mxm_arguments& k) {
    for_runs_of_rows(k,
                     [&](int t) { return column_row_detail::blocks<column_row_detail::summed<Cell>>(k, t); });
}

}  // namespace nz::kernels::cpu
