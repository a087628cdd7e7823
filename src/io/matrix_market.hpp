// Matrix Market: header (matrix_market_header.cpp), entries (matrix_market.cpp), writer
// (matrix_market_write.cpp).
#pragma once

#include "io/text.hpp"
#include "nonzero/io.hpp"

#include <span>
#include <string>

namespace nz::io::matrix_market {

enum class field : std::uint8_t { real, integer, unsigned_integer, pattern, complex };
enum class symmetry : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

/// What stands before the entries.
struct header {
    bool array = false;   ///< every value of a dense matrix, by columns; otherwise coordinates
    bool vector = false;  ///< one column, which its coordinates do not name
    matrix_market::field field = field::real;
    matrix_market::symmetry symmetry = symmetry::general;
    dtype type = dtype::float64;  ///< from the field, or from a comment "%%GraphBLAS type int8_t"
    offset_t rows = 0, columns = 0;
    offset_t entries = 0;  ///< that the file must hold
    std::int64_t size_line = 0;
};

/// Whether a line begins like a Matrix Market banner.
bool is_banner(std::string_view line);
/// Reads up to the line of sizes. Throws invalid_format.
header read_header(line_reader& reader);

/// Reads a whole file. Throws invalid_format with file, line and reason.
input read(const context& ctx, text_source& source, const read_options& options);
/// Only parses and checks, as read() does before it builds the matrix; returns the entries that the file
/// holds.
offset_t check(const context& ctx, text_source& source, const read_options& options);
/// The same as read() from bytes in memory, plain or gzip.
input read(const context& ctx, std::span<const std::byte> bytes, std::string name,
           const read_options& options);

/// The file's text: coordinate, general; integers for integer types, shortest exact decimals for floats.
/// Calls write(text) for each piece, in order.
void write(const context& ctx, const matrix& a, const std::function<void(std::string_view)>& write);

}  // namespace nz::io::matrix_market
