// What the two passes of balanced_path share: how pieces of the path lie in rows and blocks of rows, and how many results
// come of what was counted.
#pragma once

#include "core/parallel.hpp"
#include "kernels/cpu/schedule/balanced.hpp"

namespace nz::kernels::cpu {

/// Asks for p[i], which need not exist. Inlined: a function that does nothing else is taken for one without an effect.
template <class T>
[[gnu::always_inline]] inline void prefetch(const T* p, offset_t i) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(p) +
                                                     static_cast<std::uintptr_t>(i) * sizeof(T)));
}

/// The results among `a` entries of A and `b` of B that share `pairs` places.
template <class N>
constexpr N results_of(set_operation operation, N a, N b, N pairs) {
    using enum set_operation;
    return operation == unite       ? a + b - pairs
           : operation == intersect ? pairs
           : operation == subtract  ? a - pairs
                                    : a + b - 2 * pairs;
}

/// One piece of the path: the rows from `from.row` to before `to.row` end in it.
struct path_piece {
    plan::ewise_cut from, to;
    index_t first_block, end_block;  ///< of those that lie in it whole

    path_piece(const ewise_arguments& k, const plan::ewise_cut& begin, const plan::ewise_cut& end)
        : from(begin),
          to(end),
          first_block((from.row + within_row(k, from) + (plan::ewise_block_rows - 1)) /
                      plan::ewise_block_rows),
          end_block(to.row / plan::ewise_block_rows) {}

    /// Whether a block begins at a row and lies in the piece whole.
    bool has_block(index_t row) const {
        const index_t block = row / plan::ewise_block_rows;
        return row % plan::ewise_block_rows == 0 && block >= first_block && block < end_block;
    }
    /// Whether a cut is not before the first entry of its row.
    static bool within_row(const ewise_arguments& k, const plan::ewise_cut& at) {
        return at.a != k.a.offsets[at.row] || at.b != k.b.offsets[at.row];
    }
};

/// The workspace as count and fill divide it, and the pieces that a thread has.
struct shared_path : plan::ewise_path {
    int pieces, threads;

    explicit shared_path(const ewise_arguments& k)
        : shared_path(k, k.a.offsets[k.rows] + k.b.offsets[k.rows]) {}
    std::pair<int, int> share(int t) const {
        const auto [first, last] = parallel::piece(pieces, t, threads);
        return {static_cast<int>(first), static_cast<int>(last)};
    }

private:
    shared_path(const ewise_arguments& k, offset_t entries)
        : plan::ewise_path(k.workspace, k.rows, entries, plan::ewise_pieces(entries, k.threads)),
          pieces(plan::ewise_pieces(entries, k.threads)),
          threads(k.threads) {}
};

}  // namespace nz::kernels::cpu
