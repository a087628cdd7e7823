// Diagonals: for band matrices, whose column indices are known from the place of a value.
#pragma once

#include "nonzero/dia.hpp"
#include "storage/csr.hpp"

#include <utility>
#include <vector>

namespace nz::storage {

/// Diagonal d holds A(i, i + offsets[d]) in values[d * stride + i] for the rows first[d] to last[d] - 1, at least one; each of these
/// places is an entry, explicit zeros too. Offsets ascend; the values of other places are never read.
struct dia {
    index_t rows = 0, columns = 0;
    offset_t stride = 0;
    dtype type = dtype::float64;
    std::vector<index_t> offsets{}, first{}, last{};
    buffer values{};
    bool on_device = false;  ///< where the values lie

    offset_t diagonals() const { return static_cast<offset_t>(offsets.size()); }
    offset_t nnz() const;
    /// On the host.
    element value(offset_t d, index_t i) const { return load(values.data(), type, d * stride + i); }
    std::size_t bytes() const { return offsets.size() * 3 * sizeof(index_t) + values.bytes(); }
};

/// Rows of a diagonal apart in memory that is ours: a multiple of 32, so that every diagonal begins at a line.
constexpr offset_t dia_stride(index_t rows) { return (offset_t{rows} + 31) / 32 * 32; }
/// The rows in which a diagonal lies inside a matrix: first and one past the last.
std::pair<index_t, index_t> rows_inside(index_t rows, index_t columns, index_t offset);

/// How many times the memory of the CSR the diagonals may take. A CSR entry costs its value and a 4-byte
/// column, so a full band takes less as diagonals; beyond this many times, most of what a kernel reads is
/// no entry.
inline constexpr std::size_t most_dia_growth = 4;

/// Throws not_supported, naming both sizes, where the diagonals would take more than `most_growth` times
/// the CSR (and more than a page), and naming the first place where a diagonal has a gap.
dia to_dia(const context& ctx, const csr& a, std::size_t most_growth = most_dia_growth);
csr to_csr(const context& ctx, const dia& a);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const dia& a, const char* what);

}  // namespace nz::storage
