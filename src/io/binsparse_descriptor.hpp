// What the descriptor of a Binsparse file says.
#pragma once

#include "nonzero/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nz::io::binsparse {

enum class layout : std::uint8_t { csr, csc, dcsr, dcsc, coor, cooc, dvec, cvec, dmatr, dmatc };
enum class structure : std::uint8_t { general, symmetric, skew_symmetric, hermitian };

/// The type of an array: one of ours, all values the same, or pairs of a real and an imaginary part.
struct array_type {
    std::string array;
    dtype type = dtype::float64;
    bool iso = false, complex = false;
};

struct descriptor {
    binsparse::layout layout = layout::csr;
    binsparse::structure structure = structure::general;
    bool lower = false;  ///< the triangle that is stored, where the structure is not general
    offset_t rows = 0, columns = 1;
    offset_t stored = 0;
    bool fill = false;  ///< an array 'fill_value' says what places without an entry hold
    std::vector<array_type> arrays{};

    /// Null where the descriptor names no type for it.
    const array_type* find(std::string_view array) const;
};

/// What the format calls a type; bool is "bint8".
std::string_view format_name(dtype type);
/// Throws invalid_format with the file's name in front.
descriptor parse_descriptor(std::string_view text, const std::string& file);

}  // namespace nz::io::binsparse
