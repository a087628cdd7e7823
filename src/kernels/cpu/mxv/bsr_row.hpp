// mxv/bsr_row: w = A u by square blocks (storage/bsr.hpp): the rows of a block row are summed side by side.
//
// Who owns what: a thread owns a run of block rows with about as many blocks as the others, 64 at a time, so that it alone writes
//   their words of presence; the sums of a block row stay in one vector register, or two, while its blocks go by.
// Memory: values once, in order; 4 bytes of column a block, 8 more where blocks have holes; u in runs of a block's side, asked for
//   16 blocks ahead, since what a core's own cache does not hold of it comes late. No workspace.
// Synchronisation: none but the join at the end.
// Determinism: a row is summed by one thread in the order of its columns.
// Cost: side^2 values a block, whether its places are entries or not.
// Distance to the limit: 115 to 123% of the read bandwidth beyond caches on fe_body (x) 6x6 (two threads, three runs; caches keep a part), 99 to
//   116% of the rate at which as many bytes are read again. Table: docs/measurements/spmv.md (SpMV, double).
// Why dia_slice was not enough: the diagonals of a block of 6 x 6 hold 1 to 6 entries of it.
// What it leaves: making the blocks takes as long as several products, so that the plan takes it for matrices of which it is known that
//   many follow.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/mxv/common_row.hpp"
#include "storage/block_sides.hpp"

namespace nz::kernels::cpu {

/// The sums of one block row's rows, and which of them have any.
template <class Cell, bool Constant, bool Gaps>
class block_row_sums {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int ahead = 16;  ///< blocks

public:
    V sums[storage::largest_block]{};
    std::uint32_t met = 0;

    block_row_sums(const mxv_arguments& a, offset_t block_row)
        : a_(a),
          row_(static_cast<index_t>(block_row * a.blocks.side)),
          begin_(a.blocks.starts[block_row]),
          end_(a.blocks.starts[block_row + 1]) {
        if constexpr (pads<Cell>) std::fill_n(sums, storage::largest_block, algebra::before_first<Cell>());
    }
    /// Of blocks of any side, with holes, and u's gaps.
    void add_any() {
        const int side = a_.blocks.side;
        const std::uint64_t full = storage::block_mask(side * side);
        for (offset_t k = begin_; k < end_; ++k) {
            std::uint64_t mask = a_.blocks.masks ? a_.blocks.masks[k] : full;
            const offset_t first = offset_t{a_.blocks.columns[k]} * side;
            for (int c = 0; c < side; ++c, mask >>= side)
                if (const auto rows = static_cast<std::uint32_t>(mask & storage::block_mask(side)))
                    if (!Gaps || bits::test(a_.u_present, first + c))
                        add_column(rows, k * side * side + c * side, static_cast<index_t>(first + c));
        }
    }
    /// Of full blocks whose side is known, where sums may be padded and u has no gaps.
    template <int Side>
    void add_full() {
        V s[storage::largest_block];  // a local array is kept in registers
        std::copy_n(sums, storage::largest_block, s);
        const index_t* columns = a_.blocks.columns;
        const offset_t last = a_.blocks.count - 1;
        for (offset_t k = begin_; k < end_; ++k) {
            const auto first = static_cast<index_t>(offset_t{columns[k]} * Side);
            if constexpr (Cell::reads_b)
                __builtin_prefetch(static_cast<const T*>(a_.u_values) +
                                   offset_t{columns[std::min(k + ahead, last)]} * Side);
            for (int c = 0; c < Side; ++c)
                for (int r = 0; r < lanes<Side>; ++r)
                    s[r] = Cell::add(s[r], product(k * Side * Side + c * Side, r, first + c));
        }
        std::copy_n(s, storage::largest_block, sums);
        met = begin_ < end_ ? static_cast<std::uint32_t>(storage::block_mask(Side)) : 0;
    }

private:
    const mxv_arguments& a_;
    const index_t row_;
    const offset_t begin_, end_;

    /// A power of two: what is read beyond a column is the next one's, and its sums are not used.
    template <int Side>
    static constexpr int lanes = Side == 2   ? 2
                                 : Side <= 4 ? 4
                                             : 8;

    V product(offset_t place, int r, index_t j) const {
        T x{}, y{};
        if constexpr (Cell::reads_a) x = static_cast<const T*>(a_.values)[Constant ? 0 : place + r];
        if constexpr (Cell::reads_b) y = static_cast<const T*>(a_.u_values)[j];
        return Cell::multiply(x, y, row_ + r, j);
    }
    void add_column(std::uint32_t rows, offset_t place, index_t j) {
        const std::uint32_t before = met;
        met |= rows;
        bits::for_each(Cell::first_wins ? rows & ~before : rows, 0, [&](offset_t r) {
            const V p = product(place, static_cast<int>(r), j);
            sums[r] = before >> r & 1 ? Cell::add(sums[r], p) : p;
        });
    }
};

/// Calls f.template operator()<Side>() for the side that blocks have.
template <class F>
void with_block_side(int side, F&& f) {
    [&]<std::size_t... S>(std::index_sequence<S...>) {
        (void)((storage::block_sides[S] == side &&
                (f.template operator()<storage::block_sides[S]>(), true)) ||
               ...);
    }(std::make_index_sequence<storage::block_sides.size()>());
}

/// 64 block rows from `first` on, and their words of presence.
template <class Cell, bool Constant, bool Gaps, class AddAll>
void bsr_turn(const mxv_arguments& a, offset_t first, offset_t last, AddAll&& add_all) {
    const int side = a.blocks.side;
    bits::word present[storage::largest_block] = {};
    auto* out = static_cast<typename Cell::value*>(a.out_values);
    for (offset_t b = first; b < last; ++b) {
        block_row_sums<Cell, Constant, Gaps> of(a, b);
        add_all(of);
        const offset_t row = b * side, count = std::min<offset_t>(std::min(side, storage::largest_block),
                                                                  a.output_size - row);
        for (offset_t r = 0; r < count; ++r)
            out[row + r] = of.met >> r & 1 ? of.sums[r] : typename Cell::value{};
        const offset_t bit = row - first * side;
        present[bit >> 6] |= bits::word{of.met} << (bit & 63);
        if ((bit & 63) + side > 64) present[(bit >> 6) + 1] |= bits::word{of.met} >> (64 - (bit & 63));
    }
    if (!a.out_present) return;
    const offset_t word = first * side / bits::per_word;
    const auto end = static_cast<offset_t>(bits::words_for(std::min<offset_t>(last * side, a.output_size)));
    std::copy_n(present, end - word, a.out_present + word);
}

template <class Cell>
void bsr_row(const mxv_arguments& a) {
    const offset_t block_rows = (offset_t{a.output_size} + a.blocks.side - 1) / a.blocks.side;
    constexpr offset_t turn = bits::per_word;
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        parallel::run(a.threads, [&](int t, int threads) {
            const auto first_of = [&](int part) {
                if (part == threads) return block_rows;
                const offset_t* found = std::lower_bound(a.blocks.starts, a.blocks.starts + block_rows,
                                                         a.blocks.count * part / threads);
                return (found - a.blocks.starts) / turn * turn;
            };
            const offset_t end = first_of(t + 1);
            const auto run = [&](auto&& add_all) {
                for (offset_t b = first_of(t); b < end; b += turn)
                    bsr_turn<Cell, Constant, Gaps>(a, b, std::min(b + turn, end), add_all);
            };
            if constexpr (pads<Cell> && !Gaps)
                if (!a.blocks.masks)
                    return with_block_side(a.blocks.side, [&]<int Side>() {
                        run([](auto& of) { of.template add_full<Side>(); });
                    });
            run([](auto& of) { of.add_any(); });
        });
    });
}

}  // namespace nz::kernels::cpu
