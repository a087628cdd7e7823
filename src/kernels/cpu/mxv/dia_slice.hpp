// mxv/dia_slice: w = A u by the diagonals of 32 rows at a time (storage/dia_slices.hpp; matam2012's DIA cut into slices of
// rows, as SELL cuts ELLPACK).
//
// Who owns what: a thread owns a run of whole words of 64 rows with about the same diagonals as the others; the 32 sums of
//   a slice stay in registers or in the first level of cache while its diagonals go by.
// Memory: values once, in order; 8 bytes for up to 32 entries in place of their columns; u in runs of 32, which
//   neighbouring diagonals and slices find in the caches. Nothing is gathered. No workspace.
// Synchronisation: none but the join at the end.
// Determinism: a row is summed by one thread in the order of its columns.
// Cost: 32 values a diagonal, whether its rows are there or not.
// Distance to the limit: 93 to 134% of the read bandwidth beyond caches on laplace3d:80, banded:500000,21 and laplace2d:1500 (two threads,
//   three runs; caches keep a part), 61 to 98% of the rate at which as many bytes are read again. Table: docs/measurements/spmv.md (SpMV, double).
// Why csr_row was not enough: it reads 4 bytes of column beside each value, and a core waits for 27 gathers a row where
//   memory has delivered the row long before.
// What it leaves: making the slices costs a few dozen products, so that the plan takes it for matrices of which it is known
//   that many follow; rows that have no diagonals in common cost 32 places for each of their entries.
#pragma once

#include "kernels/cpu/mxv/common_row.hpp"

namespace nz::kernels::cpu {

/// The bits of u's places [first, first + 32), which may lie partly outside of it.
inline std::uint32_t presence_of(const bits::word* present, offset_t size, offset_t first) {
    if (first <= -storage::slice_rows || first >= size) return 0;
    if (first < 0) return static_cast<std::uint32_t>(present[0] << -first);
    const offset_t k = first >> 6, shift = first & 63;
    bits::word window = present[k] >> shift;
    if (shift > 32 && static_cast<std::size_t>(k) + 1 < bits::words_for(size))
        window |= present[k + 1] << (64 - shift);
    return static_cast<std::uint32_t>(window);
}

/// Sums of one slice's rows, and which of them have any.
template <class Cell, bool Constant, bool Gaps>
class slice_sums {
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr int rows = storage::slice_rows;
    /// How far ahead values are asked for. With 1, 2 and 4 KiB a prototype took 3.25, 3.45, 3.99 ms on laplace3d:80, 3.34, 2.37, 2.34 on
    /// laplace2d:1500.
    static constexpr int ahead = 2048, line = 64;

public:
    V sums[rows];
    std::uint32_t met = 0;

    slice_sums(const mxv_arguments& a, offset_t slice, offset_t begin, offset_t end)
        : a_(a), first_(slice * rows) {
        if constexpr (pads<Cell>) std::fill_n(sums, rows, algebra::before_first<Cell>());
        for (offset_t k = begin; k < end; ++k) add(k);
    }

private:
    const mxv_arguments& a_;
    const offset_t first_;

    V product(const T* values, const T* u, offset_t j, int r) const {
        T x{}, y{};
        if constexpr (Cell::reads_a) x = values[Constant ? 0 : r];
        if constexpr (Cell::reads_b) y = u[r];
        return Cell::multiply(x, y, static_cast<index_t>(first_ + r), static_cast<index_t>(j + r));
    }
    void add(offset_t k) {
        const auto [distance, all] = a_.slices.diagonals[k];
        const offset_t j = first_ + distance;  // column of the slice's first row
        const T* values = nullptr;
        if constexpr (Cell::reads_a) {
            values = static_cast<const T*>(a_.values) + (Constant ? 0 : k * rows);
            if constexpr (!Constant)
                for (int byte = 0; byte < rows * static_cast<int>(sizeof(T)); byte += line)
                    __builtin_prefetch(reinterpret_cast<const char*>(values) + ahead + byte, 0, 0);
        }
        const T* u = Cell::reads_b ? static_cast<const T*>(a_.u_values) + j : nullptr;
        const std::uint32_t here = Gaps ? all & presence_of(a_.u_present, a_.u_size, j) : all;
        if constexpr (pads<Cell>) {
            met |= here;
            if (here == ~std::uint32_t{0}) {
                for (int r = 0; r < rows; ++r) sums[r] = Cell::add(sums[r], product(values, u, j, r));
                return;
            }
            if (j >= 0 && j + rows <= a_.u_size) {  // all may be read, whoever counts
                for (int r = 0; r < rows; ++r) {
                    const V sum = Cell::add(sums[r], product(values, u, j, r));
                    sums[r] = here >> r & 1 ? sum : sums[r];
                }
                return;
            }
            bits::for_each(here, 0, [&](offset_t r) {
                sums[r] = Cell::add(sums[r], product(values, u, j, static_cast<int>(r)));
            });
        } else {
            const std::uint32_t before = met;
            met |= here;
            bits::for_each(Cell::first_wins ? here & ~before : here, 0, [&](offset_t r) {
                const V p = product(values, u, j, static_cast<int>(r));
                sums[r] = before >> r & 1 ? Cell::add(sums[r], p) : p;
            });
        }
    }
};

/// The words of 64 rows that thread t of `threads` begins with: about the same diagonals for each.
inline offset_t first_word_of(const mxv_arguments& a, offset_t slices, int t, int threads) {
    const auto words = static_cast<offset_t>(bits::words_for(a.output_size));
    if (t == threads) return words;
    if (!a.slices.starts) return words * t / threads;
    const offset_t wanted = a.slices.count * t / threads;
    const offset_t* found = std::lower_bound(a.slices.starts, a.slices.starts + slices + 1, wanted);
    return std::min((found - a.slices.starts) / 2, words);
}

template <class Cell>
void dia_slice(const mxv_arguments& a) {
    constexpr int rows = storage::slice_rows, slices_a_word = bits::per_word / rows;
    const offset_t slices = (offset_t{a.output_size} + rows - 1) / rows;
    const offset_t *starts = a.slices.starts, pitch = starts ? 0 : a.slices.count / slices;
    const auto begin = [=](offset_t slice) { return starts ? starts[slice] : slice * pitch; };
    with_row_reader<Cell>(a, [&]<bool Constant, bool Gaps>() {
        parallel::run(a.threads, [&](int t, int threads) {
            auto* out = static_cast<typename Cell::value*>(a.out_values);
            const offset_t last = first_word_of(a, slices, t + 1, threads);
            for (offset_t word = first_word_of(a, slices, t, threads); word < last; ++word) {
                bits::word present = 0;
                for (int half = 0; half < slices_a_word; ++half) {
                    const offset_t slice = word * slices_a_word + half;
                    if (slice >= slices) break;
                    const slice_sums<Cell, Constant, Gaps> of(a, slice, begin(slice), begin(slice + 1));
                    present |= bits::word{of.met} << half * rows;
                    const offset_t count = std::min<offset_t>(rows, a.output_size - slice * rows);
                    typename Cell::value* to = out + slice * rows;
                    if (of.met == ~std::uint32_t{0})
                        std::copy_n(of.sums, count, to);
                    else
                        for (offset_t r = 0; r < count; ++r)
                            to[r] = of.met >> r & 1 ? of.sums[r] : typename Cell::value{};
                }
                if (a.out_present) a.out_present[word] = present;
            }
        });
    });
}

}  // namespace nz::kernels::cpu
