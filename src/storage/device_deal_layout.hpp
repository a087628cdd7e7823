// How a transpose's two deals cut up a matrix in a GPU's memory: from its shape alone.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace nz::storage::device_deal {

inline constexpr unsigned deal_threads = 256;  // with up to 128 registers each, two blocks a multiprocessor
inline constexpr unsigned items =
    27;  // a thread's: the most that leaves room for 4,096 places in half of the shared memory
inline constexpr unsigned tile_entries = deal_threads * items;
inline constexpr int most_digit_bits = 12;
/// Buckets where that many do: a tile's runs have three entries or so; more make them shorter, fewer make buckets that a tile
/// does not hold.
inline constexpr unsigned usual_buckets = 2560;
inline constexpr unsigned usual_digits = 2048;  // a room half as large as the other serves digits below it
/// Entries of a bucket that one block deals; others are split.
inline constexpr unsigned part_entries = 4 * tile_entries;
/// A count of all buckets is kept for each group of tiles, a tile each up to so many: 32 M entries over 4 M columns took 0.83 ms
/// to deal in groups of one on an H200, 1.19 of two and 1.45 of four, whose runs in a bucket are written further apart in time.
inline constexpr unsigned wanted_groups = 16384;
inline constexpr unsigned chunks = 32;  // of groups, which are summed up chunk by chunk

/// The first deal's buckets are 2^column_bits neighbouring columns; a key is the column in its bucket above the low row_bits
/// bits of the row. The other bits of the row are its window's number: windows are dealt one after the other, so that a bucket
/// holds them in order.
struct deal_layout {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    int column_bits = 0, row_bits = 0, bucket_bits = 0;
    unsigned buckets = 0, windows = 0;
    unsigned group_tiles = 0;             ///< tiles that a block deals one after the other
    unsigned groups = 0;                  ///< at most
    unsigned chunk_groups = 0;            ///< groups of a chunk
    unsigned parts = 0, split_parts = 0;  ///< of buckets, at most; of those with several parts
    offset_t group_entries() const { return offset_t{group_tiles} * tile_entries; }
    bool once() const { return column_bits == 0; }  ///< buckets are columns: no second deal
};

inline unsigned buckets_of(index_t columns, int column_bits) {
    return (static_cast<unsigned>(columns - 1) >> column_bits) + 1;
}

/// Nothing where there are more columns than two deals part, 2^24. At least one entry, at most 2^32 - 1.
inline std::optional<deal_layout> layout_deals(index_t rows, index_t columns, offset_t nnz) {
    deal_layout l{rows, columns, nnz};
    while (l.column_bits < most_digit_bits && buckets_of(columns, l.column_bits) > usual_buckets)
        ++l.column_bits;
    if (buckets_of(columns, l.column_bits) > 1u << most_digit_bits) return {};
    const auto small = [&](int bits) { return nnz / buckets_of(columns, bits) <= tile_entries * 3 / 4; };
    while (l.column_bits > 0 && 2u << l.column_bits <= usual_digits && small(l.column_bits + 1))
        ++l.column_bits;
    l.row_bits = std::min(32 - l.column_bits, 31);
    l.buckets = buckets_of(columns, l.column_bits);
    l.bucket_bits = std::bit_width(l.buckets - 1);
    l.windows = (static_cast<unsigned>(rows - 1) >> l.row_bits) + 1;
    l.group_tiles =
        static_cast<unsigned>(std::max<offset_t>(nnz / (offset_t{wanted_groups} * tile_entries), 1));
    l.groups = static_cast<unsigned>(nnz / l.group_entries()) + l.windows;
    l.chunk_groups = (l.groups + chunks - 1) / chunks;
    l.parts = l.buckets + static_cast<unsigned>(nnz / part_entries);
    l.split_parts = l.once() ? 0 : static_cast<unsigned>(2 * (nnz / part_entries));
    return l;
}

}  // namespace nz::storage::device_deal
