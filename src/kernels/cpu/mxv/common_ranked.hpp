// u in the order of its columns' entries (storage/ranked_columns.hpp). Shared by the kernels that read ranks.
#pragma once

#include "core/parallel.hpp"
#include "kernels/mxv_arguments.hpp"
#include "plan/mxv_workspace.hpp"

namespace nz::kernels::cpu {

/// The arguments with `ranks` for columns and u's values, and presence, in the order of `columns`, of which `held` have entries; in the workspace.
template <class Cell>
mxv_arguments by_ranks(const mxv_arguments& a, const index_t* columns, index_t held, const index_t* ranks) {
    using T = typename Cell::operand;
    plan::workspace_parts parts(a.workspace);
    T* ranked = parts.take<T>(a.u_size);
    auto* present = parts.take<bits::word>(static_cast<offset_t>(bits::words_for(a.u_size)));
    const auto* u = static_cast<const T*>(a.u_values);
    parallel::for_pieces(
        a.threads, held,
        [&](offset_t begin, offset_t end) {
            for (offset_t r = begin; r < end; ++r) ranked[r] = u[columns[r]];
            if (!a.u_present) return;
            for (offset_t word = begin / bits::per_word; word * bits::per_word < end; ++word) {
                bits::word there = 0;
                for (offset_t r = word * bits::per_word; r < std::min(end, (word + 1) * bits::per_word); ++r)
                    there |= bits::word{bits::test(a.u_present, columns[r])} << (r % bits::per_word);
                present[word] = there;
            }
        },
        bits::per_word);
    mxv_arguments in_order = a;
    in_order.indices = ranks;
    in_order.u_values = ranked;
    if (a.u_present) in_order.u_present = present;
    return in_order;
}

}  // namespace nz::kernels::cpu
