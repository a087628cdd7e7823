// What slices of a matrix are made of (dia_slices.hpp), for kernels to read.
#pragma once

#include "nonzero/types.hpp"

#include <cstdint>

namespace nz::storage {

/// Rows of a slice.
inline constexpr int slice_rows = 32;

/// One of its diagonals: those of its rows that have an entry `distance` columns right of the matrix's diagonal.
struct alignas(8) slice_diagonal {
    index_t distance;
    std::uint32_t rows;  ///< bit r: row r of the slice
};

}  // namespace nz::storage
