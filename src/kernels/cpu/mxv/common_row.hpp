// One row of a matvec: the sum over the row's entries that meet an entry of u. Shared by the csr_* kernels.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "kernels/cpu/mxv/common_lanes.hpp"
#include "kernels/mxv_arguments.hpp"

#include <bit>

namespace nz::kernels::cpu {

/// How a row is read, settled once a call: whether values are an array or a constant, whether u has gaps.
template <class Cell, bool Constant, bool Gaps>
struct row_reader {
    using cell = Cell;
    using T = typename Cell::operand;
    using V = typename Cell::value;
    static constexpr bool gaps = Gaps;

    const index_t* indices;
    const T* values;
    const T* u;
    const bits::word* present;
    offset_t nnz;
    bool mixed;  ///< entries and gaps of u are both so many that a branch on them is mispredicted often

    explicit row_reader(const mxv_arguments& a)
        : indices(a.indices),
          values(static_cast<const T*>(a.values)),
          u(static_cast<const T*>(a.u_values)),
          present(a.u_present),
          nnz(a.nnz),
          mixed(Gaps && a.u_count > a.u_size / rare && a.u_size - a.u_count > a.u_size / rare) {}

    bool meets(offset_t k) const { return !Gaps || bits::test(present, indices[k]); }
    V product(index_t i, offset_t k) const {
        const index_t j = indices[k];
        T x{}, y{};
        if constexpr (Cell::reads_a) x = values[Constant ? 0 : k];
        if constexpr (Cell::reads_b) y = u[j];
        return Cell::multiply(x, y, i, j);
    }

    /// The sum over positions [begin, end), which must not be empty; false when no entry of u is met. Without
    /// early exit, and without gaps or with many, it keeps four partial sums (32 of a long row), since one would wait for each addition (4
    /// cycles an entry where memory delivers one in 2 to 3); the order is fixed by the row alone.
    bool sum(index_t i, offset_t begin, offset_t end, bool early_exit, V& result) const {
        if constexpr (!Gaps && !Cell::first_wins) {
            if (!(Cell::terminates && early_exit)) {
                result = unrolled(i, begin, end);
                return true;
            }
        }
        if constexpr (Gaps && pads<Cell>)
            if (mixed && !(Cell::terminates && early_exit)) return padded(i, begin, end, result);
        offset_t k = begin;
        while (k < end && !meets(k)) ++k;
        if (k == end) return false;
        sum_type total = product(i, k);
        if constexpr (!Cell::first_wins)
            for (++k; k < end; ++k) {
                if constexpr (Cell::terminates)
                    if (early_exit && Cell::terminal(total)) break;
                if (meets(k)) add(total, product(i, k));
            }
        result = static_cast<V>(total);
        return true;
    }

    /// Indices (and values) are read once: asked for early and not to be kept, so that u has the caches to itself. On
    /// Kronecker and uniform graphs of 2^18 vertices that is 30% of a product's time. For `count` entries from k on.
    void prefetch_stream(offset_t k, int count = 1) const {
        constexpr int ahead = 256, line = 64;
        for (int e = 0; e < count; e += line / static_cast<int>(sizeof(index_t)))
            __builtin_prefetch(indices + k + ahead + e, 0, 0);
        if constexpr (Cell::reads_a && !Constant)
            for (int e = 0; e < count; e += line / static_cast<int>(sizeof(T)))
                __builtin_prefetch(values + k + ahead + e, 0, 0);
    }

private:
    /// Floats are added up in double where a row may be long: a hub's 300,000 equal floats, added to each other, came out 0.1% too small.
    static constexpr bool of_floats = Cell::add_id == binary_id::plus && std::is_same_v<V, float>;
    using sum_type = std::conditional_t<of_floats, double, V>;
    static void add(sum_type& sum, sum_type x) {
        if constexpr (of_floats)
            sum += x;
        else
            sum = Cell::add(sum, x);
    }

    /// A share of u's places up to which entries, or gaps, are rare: with an eighth of u there both ways took the same.
    static constexpr index_t rare = 8;
    static constexpr int wide = 32;

    /// Every entry's product, or where u has a gap what leaves a sum as it is, without a branch: on rmat:18,48, half of u
    /// there, a product of doubles took 73 ms with one, 46 without. A vector without gaps took
    /// 18 to 27; what is left between them is not explained.
    bool padded(index_t i, offset_t begin, offset_t end, V& result) const {
        using number = std::conditional_t<
            sizeof(V) == 8, std::uint64_t,
            std::conditional_t<sizeof(V) == 4, std::uint32_t,
                               std::conditional_t<sizeof(V) == 2, std::uint16_t, std::uint8_t>>>;
        constexpr auto nothing = std::bit_cast<number>(algebra::before_first<Cell>());
        sum_type sums[4];
        std::fill_n(sums, 4, static_cast<sum_type>(std::bit_cast<V>(nothing)));
        bool met = false;
        const auto take = [&](sum_type& sum, offset_t k) {
            const bool here = meets(k);
            const auto mask = static_cast<number>(-static_cast<number>(here));
            met |= here;
            add(sum, std::bit_cast<V>(static_cast<number>((std::bit_cast<number>(product(i, k)) & mask) |
                                                          (nothing & ~mask))));
        };
        offset_t k = begin;
        for (; k + 4 <= end; k += 4) {
            prefetch_stream(k);
            for (int n = 0; n < 4; ++n) take(sums[n], k + n);
        }
        for (; k < end; ++k) take(sums[0], k);
        add(sums[0], sums[1]);
        add(sums[2], sums[3]);
        add(sums[0], sums[2]);
        result = static_cast<V>(sums[0]);
        return met;
    }

    /// Rows of up to four entries: four products, the ones beyond the row's end left out without a branch.
    V short_row(index_t i, offset_t begin, offset_t length) const {
        const V p0 = product(i, begin), p1 = product(i, begin + 1), p2 = product(i, begin + 2),
                p3 = product(i, begin + 3);
        if constexpr (pads<Cell>) {
            using lanes = lane_sum<Cell, 4>;
            return lanes::total(lanes::padded(lanes::from(p0, p1, p2, p3), length));
        } else {
            V s = p0;
            s = length > 1 ? Cell::add(s, p1) : s;
            s = length > 2 ? Cell::add(s, p2) : s;
            return length > 3 ? Cell::add(s, p3) : s;
        }
    }

    /// Long rows: 32 partial sums, whose gathers are vectors' and all under way at once. lp:4284,1092610,11300000, rows of 2,637 entries all
    /// over u, took 6.3 ms so in a prototype, 8.2 with four, 10.1 with eight (two threads, one run).
    V long_row(index_t i, offset_t begin, offset_t end) const {
        sum_type sums[wide];
        offset_t k = begin;
        if constexpr (of_floats) {
            // Eight at a time stay floats (two threads, times of floats alone, on dense:3000,3000, lp:4284,1092610,11300000, rmat:18,48: so 1.05, 1.02,
            // 1.03; each as a double 1.37, 1.12, 1.12).
            constexpr offset_t run = 8 * wide;
            std::fill_n(sums, wide, -0.0);  // which leaves a first -0 as it is
            for (offset_t stop; k + wide <= end; k = stop) {
                stop = k + std::min(run, (end - k) / wide * wide);
                V part[wide];
                for (int n = 0; n < wide; ++n) part[n] = product(i, k + n);
                for (k += wide; k < stop; k += wide) {
                    prefetch_stream(k, wide);
                    for (int n = 0; n < wide; ++n) part[n] += product(i, k + n);
                }
                for (int n = 0; n < wide; ++n) sums[n] += part[n];
            }
        } else {
            for (int n = 0; n < wide; ++n) sums[n] = product(i, k + n);
            for (k += wide; k + wide <= end; k += wide) {
                prefetch_stream(k, wide);
                for (int n = 0; n < wide; ++n) sums[n] = Cell::add(sums[n], product(i, k + n));
            }
        }
        for (int n = 0; k < end; ++k, ++n) add(sums[n], product(i, k));
        for (int half = wide / 2; half; half /= 2)
            for (int n = 0; n < half; ++n) add(sums[n], sums[n + half]);
        return static_cast<V>(sums[0]);
    }

    V unrolled(index_t i, offset_t begin, offset_t end) const {
        if (end - begin <= 4 && begin + 4 <= nnz) return short_row(i, begin, end - begin);
        if (end - begin >= 2 * wide) return long_row(i, begin, end);
        prefetch_stream(begin);
        V s0 = product(i, begin);
        offset_t k = begin + 1;
        if (end - k >= 7) {
            V s1 = product(i, k), s2 = product(i, k + 1), s3 = product(i, k + 2);
            for (k += 3; k + 4 <= end; k += 4) {
                prefetch_stream(k);
                s0 = Cell::add(s0, product(i, k));
                s1 = Cell::add(s1, product(i, k + 1));
                s2 = Cell::add(s2, product(i, k + 2));
                s3 = Cell::add(s3, product(i, k + 3));
            }
            s0 = Cell::add(Cell::add(s0, s1), Cell::add(s2, s3));
        }
        for (; k < end; ++k) s0 = Cell::add(s0, product(i, k));
        return s0;
    }
};

/// The row's sum, if there is one, into an output that holds an entry there already.
template <class Reader, class V>
void update_row(const Reader& reader, const mxv_arguments& a, index_t i, offset_t begin, offset_t end,
                V& out) {
    V sum{};
    if (begin < end && reader.sum(i, begin, end, a.early_exit, sum))
        out = a.output == mxv_output::add ? Reader::cell::add(out, sum) : sum;
}

/// Calls f.template operator()<Constant, Gaps>() for what the arguments hold.
template <class Cell, class F>
void with_row_reader(const mxv_arguments& a, F&& f) {
    const bool constant = a.constant || !Cell::reads_a;
    if (constant)
        a.u_present ? f.template operator()<true, true>() : f.template operator()<true, false>();
    else if constexpr (Cell::reads_a)
        a.u_present ? f.template operator()<false, true>() : f.template operator()<false, false>();
}

}  // namespace nz::kernels::cpu
