// How entries in a GPU's memory are cut up on their way to where their keys say, in three steps: from a matrix's shape alone. A key is
// an entry's column in a transpose, its row where coordinates become a CSR.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace nz::storage::device_steps {

inline constexpr unsigned most_digits = 256;  ///< of a deal
/// Buckets of a range where these and 256 ranges do: the second deal of random:4000000,8 took 0.38 ms by 64 digits and 0.47 by 128.
inline constexpr unsigned usual_buckets = 64;
/// The first deal's tiles are larger, for its runs are written all over the memory: two blocks of them share a multiprocessor.
inline constexpr unsigned range_threads = 768, range_items = 8,
                          range_tile_entries = range_threads * range_items;
inline constexpr unsigned bucket_threads = 512, bucket_items = 8,
                          bucket_tile_entries = bucket_threads * bucket_items;
inline constexpr unsigned sort_threads = 384, sort_items = 16, sort_tile = sort_threads * sort_items;
/// Where coordinates become rows, sorted by column as well: a bucket that a block holds beside two others on its multiprocessor, and one
/// that a block holds alone.
inline constexpr unsigned rows_threads = 512, rows_items = 9, rows_tile = rows_threads * rows_items;
inline constexpr unsigned large_threads = 1024, large_items = 16, large_tile = large_threads * large_items;
inline constexpr unsigned large_blocks = 132;  ///< that share out buckets which a block holds alone
/// Entries that a bucket should have: few of those whose keys are alike have more than sort_tile or rows_tile.
inline constexpr unsigned wanted_entries = 4096, wanted_of_rows = 3456;
inline constexpr unsigned usual_width = 512, most_width = 1024;  ///< keys of a bucket
inline constexpr unsigned long_blocks = 396;                     ///< that share out the tiles of long buckets
/// Fewer take as long in two steps, whose launches are fewer.
inline constexpr offset_t fewest_entries = offset_t{1} << 22;
inline constexpr index_t fewest_columns = 4096, most_keys = 1 << 24;

/// Division of numbers below 2^24 by one from 1 to 2^16, exactly: the reciprocal is too large by less than its last place, which
/// is 2^-(32 + shift) with 2^shift < by.
struct divisor {
    unsigned by = 2, reciprocal = 1u << 31;
    int shift = 0;
    divisor() = default;
    explicit divisor(unsigned number) : by(number), shift(number == 1 ? 0 : std::bit_width(number - 1) - 1) {
        reciprocal = static_cast<unsigned>(((std::uint64_t{1} << (32 + shift)) + by - 1) / by);
    }
    constexpr unsigned operator()(unsigned x) const {
        return by == 1 ? x : static_cast<unsigned>(std::uint64_t{x} * reciprocal >> 32) >> shift;
    }
};

/// A bucket is `width` neighbouring keys, a range `range_buckets` neighbouring buckets, at most 2^16 keys.
struct steps_layout {
    index_t keys = 0;
    offset_t nnz = 0;
    unsigned width = 0, range_buckets = 0;
    unsigned ranges = 0, buckets = 0;
    divisor by_range{}, by_width{};
    unsigned tiles = 0;        ///< of the input
    unsigned range_tiles = 0;  ///< of ranges, at most
    unsigned long_tiles = 0;   ///< of buckets that a block does not hold, at most; of transposes
    /// Of coordinates: at most so many have more entries than rows_tile.
    unsigned large_buckets() const {
        return static_cast<unsigned>(std::min<offset_t>(nnz / rows_tile, buckets));
    }
    constexpr std::size_t counts() const { return std::size_t{ranges} * tiles + 1; }
    constexpr std::size_t range_counts() const {
        return once() ? 0 : std::size_t{range_tiles} * range_buckets + 1;
    }
    constexpr unsigned digits() const { return width <= usual_width ? usual_width : most_width; }
    constexpr bool once() const { return range_buckets == 1; }  ///< ranges are buckets: no second deal
};

/// Buckets of `first` keys or the least more that two deals part; at most 2^24 keys and 2^32 - 1 entries.
inline steps_layout cut_into(unsigned first, index_t keys, offset_t nnz) {
    steps_layout l{keys, nnz};
    const auto cut = [&](unsigned width) {
        const auto parts = [&](unsigned each) { return (static_cast<unsigned>(keys) - 1) / each + 1; };
        l.width = width;
        l.buckets = parts(width);
        l.range_buckets = 1;
        if (l.buckets > most_digits) {
            const unsigned even = 1u << std::bit_width(l.buckets - 1) / 2;
            l.range_buckets = std::min({even, l.buckets <= usual_buckets * most_digits ? usual_buckets : even,
                                        most_digits, (1u << 16) / std::bit_ceil(width)});
        }
        l.ranges = parts(l.range_buckets * width);
        return l.ranges <= most_digits;
    };
    while (!cut(first)) first = std::bit_ceil(first + 1);
    l.by_range = divisor(l.range_buckets * l.width);
    l.by_width = divisor(l.width);
    l.tiles = static_cast<unsigned>((nnz + range_tile_entries - 1) / range_tile_entries);
    l.range_tiles = static_cast<unsigned>(nnz / bucket_tile_entries) + l.ranges;
    return l;
}

/// Of a transpose. Nothing where three steps do not pay: few entries, or columns that are few or too many.
inline std::optional<steps_layout> layout_transpose(index_t columns, offset_t nnz) {
    if (nnz < fewest_entries || columns < fewest_columns || columns > most_keys) return {};
    const offset_t wanted = offset_t{columns} * wanted_entries / nnz;
    if (wanted < 2) return {};
    steps_layout l = cut_into(static_cast<unsigned>(std::min<offset_t>(wanted, most_width)), columns, nnz);
    l.long_tiles = static_cast<unsigned>(2 * (nnz / sort_tile));
    return l;
}

/// Of coordinates. Nothing where there are too many rows, or rows of more entries than blocks sort.
inline std::optional<steps_layout> layout_rows(index_t rows, offset_t count) {
    if (rows <= 0 || rows > most_keys || count <= 0 || count / rows > large_tile / 4 * 3) return {};
    const offset_t wanted = offset_t{rows} * wanted_of_rows / count;
    return cut_into(static_cast<unsigned>(std::clamp<offset_t>(wanted, 1, most_width)), rows, count);
}

}  // namespace nz::storage::device_steps
