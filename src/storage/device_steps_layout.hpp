// How a transpose in three steps cuts up a large matrix in a GPU's memory: from its shape alone.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace nz::storage::device_steps {

inline constexpr unsigned most_digits = 256;  ///< of a deal
/// The first deal's tiles are larger, for its runs are written all over the memory: two blocks of them share a multiprocessor.
inline constexpr unsigned range_threads = 768, range_items = 8,
                          range_tile_entries = range_threads * range_items;
inline constexpr unsigned bucket_threads = 512, bucket_items = 8,
                          bucket_tile_entries = bucket_threads * bucket_items;
inline constexpr unsigned sort_threads = 384, sort_items = 16, sort_tile = sort_threads * sort_items;
/// Entries that a bucket should have: few of those whose columns are alike have more than sort_tile.
inline constexpr unsigned wanted_entries = 4096;
inline constexpr unsigned usual_width = 512, most_width = 1024;  ///< columns of a bucket
inline constexpr unsigned long_blocks = 396;                     ///< that share out the tiles of long buckets
/// Fewer take as long in two steps, whose launches are fewer.
inline constexpr offset_t fewest_entries = offset_t{1} << 22;
inline constexpr index_t fewest_columns = 4096, most_columns = 1 << 24;

/// Division of numbers below 2^24 by one from 2 to 2^16, exactly: the reciprocal is too large by less than its last place, which
/// is 2^-(32 + shift) with 2^shift < by.
struct divisor {
    unsigned by = 2, reciprocal = 1u << 31;
    int shift = 0;
    divisor() = default;
    explicit divisor(unsigned number) : by(number), shift(std::bit_width(number - 1) - 1) {
        reciprocal = static_cast<unsigned>(((std::uint64_t{1} << (32 + shift)) + by - 1) / by);
    }
    constexpr unsigned operator()(unsigned x) const {
        return static_cast<unsigned>(std::uint64_t{x} * reciprocal >> 32) >> shift;
    }
};

/// A bucket is `width` neighbouring columns, a range `range_buckets` neighbouring buckets, at most 2^16 columns.
struct steps_layout {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    unsigned width = 0, range_buckets = 0;
    unsigned ranges = 0, buckets = 0;
    divisor by_range{}, by_width{};
    unsigned tiles = 0;        ///< of the input
    unsigned range_tiles = 0;  ///< of ranges, at most
    unsigned long_tiles = 0;   ///< of buckets that a block does not hold, at most
    constexpr std::size_t counts() const { return std::size_t{ranges} * tiles + 1; }
    constexpr std::size_t range_counts() const { return std::size_t{range_tiles} * range_buckets + 1; }
    constexpr unsigned digits() const { return width <= usual_width ? usual_width : most_width; }
};

/// Nothing where three steps do not pay: few entries, or columns that are few or too many. At most 2^32 - 1 entries.
inline std::optional<steps_layout> layout_steps(index_t rows, index_t columns, offset_t nnz) {
    if (nnz < fewest_entries || columns < fewest_columns || columns > most_columns) return {};
    const offset_t wanted = offset_t{columns} * wanted_entries / nnz;
    if (wanted < 2) return {};
    steps_layout l{rows, columns, nnz};
    const auto cut = [&](unsigned width) {
        const auto parts = [&](unsigned each) { return (static_cast<unsigned>(columns) - 1) / each + 1; };
        l.width = width;
        l.buckets = parts(width);
        l.range_buckets = std::min(
            {1u << std::bit_width(l.buckets - 1) / 2, most_digits, (1u << 16) / std::bit_ceil(width)});
        l.ranges = parts(l.range_buckets * width);
        return l.ranges <= most_digits;
    };
    auto first = static_cast<unsigned>(std::min<offset_t>(wanted, most_width));
    while (!cut(first)) first = std::bit_ceil(first + 1);
    l.by_range = divisor(l.range_buckets * l.width);
    l.by_width = divisor(l.width);
    l.tiles = static_cast<unsigned>((nnz + range_tile_entries - 1) / range_tile_entries);
    l.range_tiles = static_cast<unsigned>(nnz / bucket_tile_entries) + l.ranges;
    l.long_tiles = static_cast<unsigned>(2 * (nnz / sort_tile));
    return l;
}

}  // namespace nz::storage::device_steps
