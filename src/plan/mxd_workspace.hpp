// How many bytes mxd's and sddmm's calls need: stated by the plan, divided by ops and the kernels.
#pragma once

#include "plan/workspace.hpp"

#include <algorithm>

namespace nz::plan {

inline constexpr std::size_t mxd_seam_bytes = 16;
/// Rows + entries, times columns, below which a second thread costs more than it brings.
inline constexpr offset_t mxd_serial_below = 32768;

/// A dense matrix without gaps.
constexpr std::size_t dense_copy(offset_t rows, offset_t columns, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * value_bytes);
}
/// mxd/csr_merge: what a piece leaves behind, and two rows of sums, for each thread.
constexpr std::size_t mxd_merge_workspace(offset_t columns, std::size_t value_bytes, int threads) {
    const auto parts = static_cast<std::size_t>(threads);
    return padded(parts * mxd_seam_bytes) +
           padded(2 * parts * static_cast<std::size_t>(columns) * value_bytes);
}

}  // namespace nz::plan
