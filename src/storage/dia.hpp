// Diagonals: for band matrices, whose column indices are known from the place of a value.
#pragma once

#include "core/bits.hpp"
#include "storage/csr.hpp"

#include <span>

namespace nz::storage {

/// Diagonal d holds A(i, i + offsets[d]) in values[d * rows + i], and bit i of its own words in `present`
/// says whether it is an entry: an explicit zero is one, a gap within the band is not. Offsets ascend; values
/// of places that are no entries are 0, so that kernels may multiply them all the same.
struct dia {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    dtype type = dtype::float64;
    buffer offsets;  ///< index_t[diagonals]
    buffer values;   ///< [diagonals][rows]
    buffer present;  ///< words [diagonals][words_for(rows)]

    offset_t diagonals() const { return static_cast<offset_t>(offsets.bytes() / sizeof(index_t)); }
    std::span<const index_t> offset_span() const { return offsets.span<const index_t>(); }
    const bits::word* words(offset_t d) const {
        return present.as<const bits::word>() + static_cast<std::size_t>(d) * bits::words_for(rows);
    }
    element value(offset_t d, index_t i) const { return load(values.data(), type, d * rows + i); }
    std::size_t bytes() const { return offsets.bytes() + values.bytes() + present.bytes(); }
};

/// How many times the memory of the CSR the diagonals may take. A CSR entry costs its value and a 4-byte
/// column, so a full band takes less as diagonals; beyond this many times, most of what a kernel reads is
/// gaps.
inline constexpr std::size_t most_dia_growth = 4;

/// Throws not_supported, naming both sizes, where the diagonals would take more than most_dia_growth times
/// the CSR (and more than a page).
dia to_dia(const context& ctx, const csr& a);
csr to_csr(const context& ctx, const dia& a);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const dia& a, const char* what);

}  // namespace nz::storage
