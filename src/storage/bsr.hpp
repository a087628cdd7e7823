// A matrix by square blocks (BSR, block compressed rows): where each node of a mesh has several unknowns, rows come in groups
// that have the same columns, and columns in the same groups, so that one column and one word stand for a whole block.
#pragma once

#include "storage/block_sides.hpp"
#include "storage/csr.hpp"

#include <optional>

namespace nz::storage {

/// Block row i holds rows [i side, (i + 1) side): blocks of side x side at multiples of side, columns ascending. Only what is an entry of the matrix is one here: where `masks` are, bit c side + r says whether row r
/// has column c of the block; a place without one holds 0. On the host.
struct bsr {
    const csr* source;  ///< what it holds
    std::shared_ptr<memory_resource> memory;
    int side;
    offset_t count = 0;         ///< blocks
    std::optional<dtype> type;  ///< of the values; none: structure alone
    buffer starts;              ///< offset_t[block_rows + 1]: blocks before those of each block row
    buffer columns;             ///< index_t[count]: of the block's first column, over side
    buffer masks;               ///< uint64[count], or none: every block is full
    /// [count][side columns][side rows] where the source has a value for each entry, and largest_block more behind them to be read
    /// and not used; else one or none.
    buffer values;

    index_t block_rows() const { return block_rows_of(source->rows, side); }
    static constexpr index_t block_rows_of(index_t rows, int side) {
        return static_cast<index_t>((offset_t{rows} + side - 1) / side);
    }
    std::size_t bytes() const { return starts.bytes() + columns.bytes() + masks.bytes() + values.bytes(); }
};

/// O(nnz), in parallel. `a` has sorted rows; values converted to `type`, or left out. `side` is one of block_sides.
bsr make_bsr(const context& ctx, const csr& a, int side, std::optional<dtype> type);
/// The matrix again, structure and values, for tests. On the host.
csr to_csr(const context& ctx, const bsr& t);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const bsr& t, const char* what);

/// By 64 block rows of each side, evenly spread, the first and the last among them.
block_sample sample_blocks(const csr& a);

}  // namespace nz::storage
