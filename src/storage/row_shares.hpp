// Rows shared out by entries, so that long rows do not leave a thread behind.
#pragma once

#include "core/parallel.hpp"

#include <algorithm>

namespace nz::storage {

/// Entries below which a second thread costs more than it brings.
inline constexpr offset_t parallel_entries = 65536;

/// Where piece t of `parts` begins.
template <class Offset>
index_t first_row(const Offset* offsets, index_t rows, int t, int parts) {
    if (t == 0) return 0;
    if (t == parts) return rows;
    const auto target = static_cast<Offset>(static_cast<offset_t>(offsets[rows]) * t / parts);
    return static_cast<index_t>(std::lower_bound(offsets, offsets + rows, target) - offsets);
}

}  // namespace nz::storage
