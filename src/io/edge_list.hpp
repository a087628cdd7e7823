// Edge lists: a line "source target" or "source target weight" an edge.
#pragma once

#include "io/text.hpp"
#include "nonzero/io.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace nz::io::edge_list {

/// What the numbers on the lines are.
enum class ids : std::uint8_t {
    rows,  ///< rows from 0, one after the other (.el, .wel)
    names  ///< names that may be anything (SNAP): numbered in ascending order where they are no use as rows
};

/// Reads a whole file. Throws invalid_format with file, line and reason.
input read(const context& ctx, text_source& source, ids meaning, const read_options& options);
/// The same from bytes in memory, plain or gzip.
input read(const context& ctx, std::span<const std::byte> bytes, std::string name, ids meaning,
           const read_options& options);

/// The file's text (ids::rows) in pieces, in order. Throws dimension_mismatch for a matrix that is not
/// square.
void write(const context& ctx, const matrix& a, bool weights,
           const std::function<void(std::string_view)>& write);

/// The comment in front of a list that we write: a matrix has rows behind the last one with an edge.
inline constexpr std::string_view size_comment = "# nonzero vertices";

}  // namespace nz::io::edge_list
