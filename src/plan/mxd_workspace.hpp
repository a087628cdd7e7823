// How many bytes mxd's and sddmm's calls need: stated by the plan, divided by ops and the kernels.
#pragma once

#include "plan/workspace.hpp"
#include "storage/device_csr.hpp"

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

// On a GPU: lanes take a word of columns each, and as many lanes as there are words, up to a warp, take a tile.
inline constexpr int mxd_word_bytes = 16;
/// Lanes of a tile where columns are not whole aligned words.
inline constexpr int mxd_loose_lanes = 8;
constexpr int mxd_tile_lanes(offset_t columns, std::size_t value_bytes) {
    const std::size_t bytes = static_cast<std::size_t>(columns) * value_bytes;
    return bytes <= 64 ? 4 : bytes <= 128 ? 8 : bytes <= 256 ? 16 : 32;
}
/// Columns of a carry: those of whole tiles of either kind.
constexpr index_t mxd_carry_columns(index_t columns, std::size_t value_bytes) {
    const auto values = static_cast<index_t>(mxd_word_bytes / value_bytes);
    const int lanes = mxd_tile_lanes(columns, value_bytes);
    const index_t width = values * (lanes > mxd_loose_lanes ? lanes : mxd_loose_lanes);
    return (columns + width - 1) / width * width;
}
/// Chunks of entries that blocks take there.
constexpr offset_t mxd_device_chunks(offset_t nnz) {
    return (nnz + storage::merge_chunk_entries - 1) / storage::merge_chunk_entries;
}
/// mxd/csr_merge there: what each chunk of entries leaves open.
constexpr std::size_t mxd_device_merge_workspace(offset_t chunks, offset_t columns, std::size_t value_bytes) {
    return padded(static_cast<std::size_t>(chunks) *
                  static_cast<std::size_t>(mxd_carry_columns(static_cast<index_t>(columns), value_bytes)) *
                  value_bytes);
}

}  // namespace nz::plan
