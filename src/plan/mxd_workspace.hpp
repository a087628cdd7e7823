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

// On a GPU: lanes take one word of columns each, or two; as many as a tile has take its rows together.
inline constexpr int mxd_word_bytes = 16;
/// Lanes of a tile where columns are not whole aligned words.
inline constexpr int mxd_loose_lanes = 8;
inline constexpr int mxd_tile_bytes_narrow = 256, mxd_tile_bytes_wide = 512;
/// Of a row of a tile.
constexpr int mxd_tile_bytes(offset_t columns, std::size_t value_bytes, int most) {
    const std::size_t bytes = static_cast<std::size_t>(columns) * value_bytes;
    const int enough = bytes <= 64 ? 64 : bytes <= 128 ? 128 : bytes <= 256 ? 256 : 512;
    return enough < most ? enough : most;
}
/// Columns of a carry: those of whole tiles of any kind.
constexpr index_t mxd_carry_columns(index_t columns, std::size_t value_bytes) {
    constexpr int loose = mxd_loose_lanes * mxd_word_bytes;
    const int tile = mxd_tile_bytes(columns, value_bytes, mxd_tile_bytes_wide);
    const auto width =
        static_cast<index_t>(static_cast<std::size_t>(tile > loose ? tile : loose) / value_bytes);
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
