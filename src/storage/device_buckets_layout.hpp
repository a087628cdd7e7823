// How coordinates in a GPU's memory are cut up on their way to rows: tiles of the input, buckets of neighbouring rows.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace nz::storage::device_buckets {

inline constexpr unsigned tile_threads = 1024;
/// A thread's: what the places of usual_buckets leave of the shared memory.
inline constexpr unsigned tile_items = 10;
inline constexpr unsigned usual_buckets = 4096;
/// Where buckets would hold more than a block sorts: tiles are smaller then.
inline constexpr unsigned most_buckets = 8192;
inline constexpr unsigned small_tile_items = 8;
/// Entries that a bucket should have: nearly what fits where two blocks share a multiprocessor. With 8,192 a deal's runs are
/// shorter and its counts more: rmat_directed:21,16 took 1.99 ms for 1.85 on an H200; with 16,384 a block has a multiprocessor
/// to itself, and 32 M coordinates in rows of eight took 0.69 ms to sort for 0.56.
inline constexpr offset_t wanted_entries = 11264;
inline constexpr unsigned most_width = 4096;  // rows of a bucket: each has a counter
inline constexpr unsigned chunks = 32;        // of tiles, whose counts are summed up chunk by chunk
/// Rows beyond this are cut at columns into pieces of about piece_entries.
inline constexpr unsigned long_row = 32, piece_entries = 8;
/// Shared memory of a block that sorts a bucket: two of these on a multiprocessor, or one of those.
inline constexpr unsigned small_room_bytes = 112 << 10, large_room_bytes = 226 << 10;
inline constexpr unsigned sums_bytes = 256;

/// Entries whose bucket of `width` rows fits so many bytes: 8 and a fraction each, and 8 a row.
inline unsigned entries_in(unsigned bytes, unsigned width) {
    constexpr unsigned step = 64, step_bytes = step * 8 + step / piece_entries * 4 + 2;
    return (bytes - sums_bytes - 8 * (width + 1)) / step_bytes * step;
}

struct bucket_layout {
    index_t rows = 0, columns = 0;
    offset_t count = 0;
    unsigned width = 0, buckets = 0;  ///< rows of a bucket
    std::uint64_t reciprocal = 0;     ///< of width
    int shift = 0;
    int column_bits = 0;
    bool narrow = false;  ///< a row in its bucket and a column fit 32 bits
    unsigned items = 0, tiles = 0, chunk_tiles = 0;
    unsigned small = 0, large = 0;  ///< entries that fit either room

    /// Exact for all rows: the reciprocal is too large by less than width / 2^shift of one.
    constexpr unsigned bucket_of(unsigned row) const {
        return static_cast<unsigned>(row * reciprocal >> shift);
    }
    constexpr unsigned tile() const { return items * tile_threads; }
    constexpr unsigned digits() const { return buckets <= usual_buckets ? usual_buckets : most_buckets; }
};

inline unsigned parts_of(index_t rows, unsigned width) {
    return (static_cast<unsigned>(rows) - 1) / width + 1;
}
/// Rows of a bucket, where at most `most` buckets may be: fewer than wanted where keys fit 32 bits then.
inline unsigned width_for(index_t rows, int column_bits, offset_t count, unsigned most) {
    const auto wanted = static_cast<unsigned>(
        std::clamp<offset_t>((count + wanted_entries - 1) / wanted_entries, 1, offset_t{most}));
    const unsigned width = std::min(parts_of(rows, wanted), most_width),
                   narrow = 1u << std::min(32 - column_bits, 31);
    return width > narrow && parts_of(rows, narrow) <= std::min(most, 2 * wanted) ? narrow : width;
}

/// Nothing where there are more rows than buckets take, 2^24 or 2^25, or more entries than blocks sort, 80 or 160 million.
inline std::optional<bucket_layout> layout_buckets(index_t rows, index_t columns, offset_t count) {
    if (rows <= 0 || columns <= 0 || count <= 0) return {};
    bucket_layout l{rows, columns, count};
    l.column_bits = std::bit_width(static_cast<unsigned>(columns - 1));
    const auto fits = [&](unsigned most) {
        l.width = width_for(rows, l.column_bits, count, most);
        l.buckets = parts_of(rows, l.width);
        l.small = entries_in(small_room_bytes, l.width);
        l.large = entries_in(large_room_bytes, l.width);
        return l.buckets <= most && count / l.buckets <= l.large / 4 * 3;
    };
    if (!fits(usual_buckets) && !fits(most_buckets)) return {};
    const int bits = std::bit_width(l.width - 1);
    l.shift = 32 + bits;
    l.reciprocal = (std::uint64_t{1} << l.shift) / l.width + 1;
    l.narrow = l.column_bits + bits <= 32;
    l.items = l.buckets <= usual_buckets ? tile_items : small_tile_items;
    l.tiles = static_cast<unsigned>((count + l.tile() - 1) / l.tile());
    l.chunk_tiles = (l.tiles + chunks - 1) / chunks;
    return l;
}

}  // namespace nz::storage::device_buckets
