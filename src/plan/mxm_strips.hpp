// How the factors of a product are cut where a GPU has no room for both: A into chunks of rows, B into strips of columns.
#pragma once

#include "nonzero/types.hpp"

#include <algorithm>
#include <cstddef>

namespace nz::plan {

/// What a product takes of a GPU, in bytes.
struct mxm_part_facts {
    std::size_t row_bytes =
        0;  ///< all rows of A, what the mask lists there, and the workspace that goes by rows
    std::size_t column_bytes = 0;  ///< all entries of B, and their pairs
    std::size_t strip_bytes = 0;   ///< of each strip, however narrow: where the rows of B begin
    std::size_t free = 0;          ///< without the factors
    index_t rows = 0, columns = 0;
};
/// So many parts each way; none where there is no room for the smallest.
struct mxm_parts {
    index_t chunks = 0, strips = 0;
    friend bool operator==(const mxm_parts&, const mxm_parts&) = default;
};

/// Of what is free the factors' parts take at most three quarters; the last is for tables, bands and the two slots that the result
/// leaves by.
inline constexpr std::size_t parts_of_free = 4, factors_of_free = 3;
/// A chunk takes a quarter, or what the strip leaves; a strip the rest: every strip more brings A over the link once more.
inline constexpr std::size_t chunk_of_free = 1, strip_of_free = 2;
/// Smaller parts of a larger factor are not tried: launches and where B's rows begin would be nearly all of their cost. Not measured.
inline constexpr std::size_t least_part_bytes = std::size_t{16} << 10;

namespace detail {
/// How many parts of `most` bytes, halved so often; 0 where the smallest has no room.
constexpr index_t parts_of(std::size_t bytes, std::size_t most, int halvings, index_t lists) {
    const std::size_t least = std::min(bytes, least_part_bytes);
    if (most < least) return 0;
    const std::size_t one = std::max<std::size_t>({std::min(bytes, most) >> halvings, least, 1});
    return static_cast<index_t>(
        std::clamp<std::size_t>((bytes + one - 1) / one, 1, std::max<std::size_t>(lists, 1)));
}
}  // namespace detail

/// Parts of about equal bytes, within their shares and then halved so often, which is for what no fact told: memory that others
/// hold, the result's longest row, tables.
constexpr mxm_parts mxm_cut(const mxm_part_facts& f, int halvings = 0) noexcept {
    const std::size_t quarter = f.free / parts_of_free, both = quarter * factors_of_free;
    const std::size_t strip = both - std::min(f.row_bytes, quarter * chunk_of_free);
    if (strip < f.strip_bytes) return {};
    const std::size_t chunk = both - std::min(f.strip_bytes + f.column_bytes, quarter * strip_of_free);
    const mxm_parts parts{detail::parts_of(f.row_bytes, chunk, halvings, f.rows),
                          detail::parts_of(f.column_bytes, strip - f.strip_bytes, halvings, f.columns)};
    return parts.chunks && parts.strips ? parts : mxm_parts{};
}

/// The free bytes with which there is room for the smallest parts.
constexpr std::size_t mxm_least_free(const mxm_part_facts& f) noexcept {
    const std::size_t rows = std::min(f.row_bytes, least_part_bytes),
                      strip = f.strip_bytes + std::min(f.column_bytes, least_part_bytes);
    // A strip has two quarters beside a chunk of one, or three less all rows.
    const std::size_t beside_chunks = (strip + strip_of_free - 1) / strip_of_free,
                      beside_rows = (strip + f.row_bytes + factors_of_free - 1) / factors_of_free;
    return parts_of_free * std::max(rows, std::min(beside_chunks, beside_rows));
}

}  // namespace nz::plan
