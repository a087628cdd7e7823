// Breadth-first searches one after another: the specification of traverse_many.
#pragma once

#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels::reference {

/// Bytes that one search needs: a queue and a level a vertex.
constexpr std::size_t traverse_many_workspace(offset_t vertices) {
    return 2 * plan::padded(static_cast<std::size_t>(vertices) * sizeof(index_t));
}

/// Tells no levels to on_level: each source has its own.
traverse_many_totals traverse_many(const traverse_many_arguments& a);

}  // namespace nz::kernels::reference
