// The gather that the three csc_gather_* kernels share: the columns of A that the entries of u name, one
// after the other, as (row, product) pairs in order of k (yang2015, algorithm 3, lines 2 to 7).
//
// Work is shared out by products, not by columns: thread t takes products [t*P/T, (t+1)*P/T) and finds its
// first column by binary search in the scanned column lengths.
#pragma once

#include "algebra/cell.hpp"
#include "core/parallel.hpp"
#include "kernels/mxv_arguments.hpp"
#include "plan/mxv_workspace.hpp"

#include <algorithm>

namespace nz::kernels::cpu {

/// Below this many products one thread is faster than starting a second (about 2 microseconds, 1 ns a
/// product).
inline constexpr offset_t gather_parallel_from = 8192;

/// The columns to gather: entry c of u, with where its products start in the concatenation.
template <class Cell>
struct gathered_columns {
    using T = typename Cell::operand;
    using V = typename Cell::value;

    const mxv_arguments& a;
    offset_t* starts;  ///< u_count + 1

    /// Scans column lengths into the workspace.
    gathered_columns(const mxv_arguments& arguments, plan::workspace_parts& memory)
        : a(arguments), starts(memory.take<offset_t>(arguments.u_count + 1)) {
        offset_t running = 0;
        for (offset_t c = 0; c < a.u_count; ++c) {
            starts[c] = running;
            const index_t k = a.u_indices[c];
            running += a.offsets[k + 1] - a.offsets[k];
        }
        starts[a.u_count] = running;
    }
    offset_t products() const { return starts[a.u_count]; }
    int threads() const { return products() < gather_parallel_from ? 1 : a.threads; }

    /// Calls f(place, row, product) for products [begin, end) in order.
    template <class F>
    void visit(offset_t begin, offset_t end, F&& f) const {
        if (begin >= end) return;
        const T* values = static_cast<const T*>(a.values);
        const T* u = static_cast<const T*>(a.u_values);
        const bool constant = a.constant;
        offset_t c = std::upper_bound(starts, starts + a.u_count + 1, begin) - starts - 1;
        while (begin < end) {
            const index_t k = a.u_indices[c];
            const offset_t shift = a.offsets[k] - starts[c], stop = std::min(end, starts[c + 1]);
            T x{}, y{};
            if constexpr (Cell::reads_b) y = u[c];
            for (; begin < stop; ++begin) {
                const offset_t place = begin + shift;
                if constexpr (Cell::reads_a) x = values[constant ? 0 : place];
                const index_t i = a.indices[place];
                f(begin, i, Cell::multiply(x, y, i, k));
            }
            ++c;
        }
    }
};

/// Whether products differ at all: structure-only semirings sort keys alone (yang2018, section 5.5).
template <class Cell>
inline constexpr bool carries_values = Cell::multiply_id != binary_id::pair;

/// The two copies of the products between which a sort moves them, in an odd or even number of `steps`: it begins in
/// whichever lets the last step end in the result.
template <class Cell>
struct product_copies {
    using V = typename Cell::value;
    index_t *rows, *to_rows;
    V *values, *to_values;

    product_copies(const mxv_arguments& a, plan::workspace_parts& memory, offset_t count, int steps)
        : rows(a.out_indices),
          to_rows(memory.take<index_t>(count)),
          values(static_cast<V*>(a.out_values)),
          to_values(memory.take<V>(count)) {
        if (steps % 2 != 0) swap();
    }
    void swap() {
        std::swap(rows, to_rows);
        std::swap(values, to_values);
    }
    /// Writes all products to (rows, values), in order.
    void gather(const gathered_columns<Cell>& columns) const {
        parallel::run(columns.threads(), [&](int t, int threads) {
            const auto [begin, end] = parallel::piece(columns.products(), t, threads);
            columns.visit(begin, end, [&](offset_t place, index_t i, V x) {
                rows[place] = i;
                if constexpr (carries_values<Cell>) values[place] = x;
            });
        });
    }
};

/// Products sorted by row (equal rows in order of k) become one sum a row. In place; returns the rows.
template <class Cell>
offset_t reduce_by_row(index_t* rows, typename Cell::value* values, offset_t count) {
    offset_t place = -1;
    index_t previous = -1;
    for (offset_t k = 0; k < count; ++k) {
        if (rows[k] != previous) {
            previous = rows[++place] = rows[k];
            if constexpr (carries_values<Cell>)
                values[place] = values[k];
            else
                values[place] = typename Cell::value(1);
        } else if constexpr (!Cell::first_wins) {
            if constexpr (carries_values<Cell>)
                values[place] = Cell::add(values[place], values[k]);
            else
                values[place] = Cell::add(values[place], typename Cell::value(1));
        }
    }
    return place + 1;
}

}  // namespace nz::kernels::cpu
