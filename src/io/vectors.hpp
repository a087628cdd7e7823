// Vectors as matrices of one column, which is how files other than Binsparse's hold them.
#pragma once

#include "nonzero/matrix.hpp"
#include "nonzero/vector.hpp"

#include <string_view>

namespace nz::io {

/// v(i) at (i, 0).
matrix as_column(const context& ctx, const vector& v);
/// The inverse: dense where every entry is there, else sparse. Throws dimension_mismatch, with the matrix's source in
/// front, for other shapes.
vector only_column(const context& ctx, const matrix& a, std::string_view source);

}  // namespace nz::io
