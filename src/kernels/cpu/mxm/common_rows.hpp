// What the mxm kernels share: how rows are shared out, typed operands, sums that start before the first product, and
// rows of so few terms that they need no table.
#pragma once

#include "algebra/before_first.hpp"
#include "algebra/cell.hpp"
#include "core/parallel.hpp"
#include "kernels/mxm_arguments.hpp"

#include <algorithm>
#include <cstring>

namespace nz::kernels::cpu {

// A row costs about as much as so many products beside those: its loop's exits and its offsets.
inline constexpr offset_t row_cost = 16;
// Runs of rows a thread: few enough to be worth their claim, many enough that no thread waits for another long.
inline constexpr int runs_a_thread = 32;

/// The first row of run `part` of `parts`.
inline index_t run_begin(const mxm_arguments& k, int part, int parts) {
    if (part == 0) return 0;
    if (part == parts) return k.rows;
    const auto cost = [&](offset_t i) {
        return static_cast<double>(k.products[i] - k.products[0]) + static_cast<double>(row_cost * i);
    };
    const double target = cost(k.rows) * part / parts;
    offset_t low = 0, high = k.rows;
    while (low < high) {
        const offset_t mid = (low + high) / 2;
        if (cost(mid) < target)
            low = mid + 1;
        else
            high = mid;
    }
    return static_cast<index_t>(low);
}

/// Hands runs of rows with about as many products each to whichever thread is free: make(t) is thread t's worker, called
/// with the first and the last row of a run. Rows do not depend on who does them. Runs have `rows` rows in the mean or more, where every
/// thread has one.
template <class Make>
void for_runs_of_rows(const mxm_arguments& k, Make&& make, index_t rows = 1) {
    const int most = k.threads * runs_a_thread,
              runs =
                  k.threads == 1 ? 1 : std::max(k.threads, std::min(most, static_cast<int>(k.rows / rows)));
    std::atomic<int> next{0};
    parallel::run(k.threads, [&](int t, int) {
        auto work = make(t);
        for (int run; (run = next.fetch_add(1)) < runs;)
            work(run_begin(k, run, runs), run_begin(k, run + 1, runs));
    });
}

/// Moves so many entries of what was filled, from place `from` to `to` of other columns and values.
inline void move_entries(const mxm_arguments& filled, offset_t from, offset_t to, offset_t count,
                         index_t* columns, void* values) {
    if (count == 0) return;
    const auto n = static_cast<std::size_t>(count), source = static_cast<std::size_t>(from),
               target = static_cast<std::size_t>(to);
    std::memcpy(columns + target, filled.out_columns + source, n * sizeof(index_t));
    std::memcpy(static_cast<std::byte*>(values) + target * filled.value_bytes,
                static_cast<const std::byte*>(filled.out_values) + source * filled.value_bytes,
                n * filled.value_bytes);
}

/// Positions of one row in a matrix.
struct span_of_row {
    offset_t begin, end;
    offset_t size() const { return end - begin; }
};
[[gnu::always_inline]] inline span_of_row row_of(const offset_reader& offsets, offset_t i) {
    return {offsets[i], offsets[i + 1]};
}

/// Asks memory for the rows of B that entries of A further on will name.
class rows_ahead {
public:
    rows_ahead(const mxm_arguments& k, std::size_t operand_bytes)
        : k_(k), end_(k.a.offsets[k.rows]), bytes_(k.b.values ? operand_bytes : 0) {}
    [[gnu::always_inline]] void operator()(offset_t p) const {
        if (p + far >= end_) return;
        k_.b.offsets.prefetch(k_.a.columns[p + far]);
        const offset_t q = k_.b.offsets[k_.a.columns[p + near]];
        __builtin_prefetch(k_.b.columns + q);
        if (bytes_)
            __builtin_prefetch(static_cast<const std::byte*>(k_.b.values) +
                               q * static_cast<offset_t>(bytes_));
    }

private:
    // Entries of A between a request and its use: a row of B takes some tens of nanoseconds, memory about a hundred.
    static constexpr offset_t near = 6, far = 16;
    const mxm_arguments& k_;
    offset_t end_;
    std::size_t bytes_;
};

using algebra::before_first;

/// The operands and the result of a cell's product.
template <class Cell>
struct mxm_operands {
    using T = typename Cell::operand;
    using V = typename Cell::value;

    explicit mxm_operands(const mxm_arguments& k)
        : a_values(static_cast<const T*>(k.a.values)),
          b_values(static_cast<const T*>(k.b.values)),
          a_step(k.a_step),
          out_columns(k.out_columns),
          out_values(static_cast<V*>(k.out_values)) {}

    T a(offset_t p) const {
        if constexpr (Cell::reads_a) return a_values[p * a_step];
        return T{};
    }
    T b(offset_t q) const {
        if constexpr (Cell::reads_b) return b_values[q];
        return T{};
    }

    const T *a_values, *b_values;
    offset_t a_step;
    index_t* out_columns;
    V* out_values;
};

/// Adds a product to a sum that is before_first() until `present`.
template <class Cell>
[[gnu::always_inline]] inline void add_product(typename Cell::value& sum, typename Cell::value product,
                                               bool present) {
    if constexpr (Cell::first_wins)
        sum = present ? sum : product;
    else
        sum = Cell::add(sum, product);
}

/// How many places two ascending lists have together.
inline offset_t count_union(const index_t* x, offset_t m, const index_t* y, offset_t n) {
    offset_t i = 0, j = 0, common = 0;
    while (i < m && j < n) {
        const index_t u = x[i], v = y[j];
        common += u == v;
        i += u <= v;
        j += v <= u;
    }
    return m + n - common;
}

/// Rows of A of up to two entries: a scaled row of B, or two of them merged.
inline constexpr offset_t short_row = 2;

inline offset_t count_short_row(const mxm_arguments& k, span_of_row a) {
    if (a.size() == 0) return 0;
    const span_of_row x = row_of(k.b.offsets, k.a.columns[a.begin]);
    if (a.size() == 1) return x.size();
    const span_of_row y = row_of(k.b.offsets, k.a.columns[a.begin + 1]);
    return count_union(k.b.columns + x.begin, x.size(), k.b.columns + y.begin, y.size());
}

/// Writes the row's entries from `place` on; returns the place behind them.
template <class Cell>
offset_t fill_short_row(const mxm_arguments& k, const mxm_operands<Cell>& of, index_t i, span_of_row a,
                        offset_t place) {
    if (a.size() == 0) return place;
    const index_t *columns = k.b.columns, k1 = k.a.columns[a.begin];
    const auto u = of.a(a.begin);
    auto [p, p_end] = row_of(k.b.offsets, k1);
    if (a.size() == 2) {
        const index_t k2 = k.a.columns[a.begin + 1];
        const auto v = of.a(a.begin + 1);
        auto [q, q_end] = row_of(k.b.offsets, k2);
        for (; p < p_end && q < q_end; ++place) {
            const index_t x = columns[p], y = columns[q];
            const auto first = Cell::multiply(u, of.b(p), i, k1), second = Cell::multiply(v, of.b(q), i, k2);
            of.out_columns[place] = x <= y ? x : y;
            of.out_values[place] = x == y ? Cell::add(first, second) : x < y ? first : second;
            p += x <= y;
            q += y <= x;
        }
        for (; q < q_end; ++q, ++place) {
            of.out_columns[place] = columns[q];
            of.out_values[place] = Cell::multiply(v, of.b(q), i, k2);
        }
    }
    for (; p < p_end; ++p, ++place) {
        of.out_columns[place] = columns[p];
        of.out_values[place] = Cell::multiply(u, of.b(p), i, k1);
    }
    return place;
}

}  // namespace nz::kernels::cpu
