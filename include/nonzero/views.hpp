// Typed, non-owning views: how CSR arrays and dense arrays go in and out without copies.
#pragma once

#include "nonzero/types.hpp"

#include <cstddef>
#include <span>

namespace nz {

/// Compressed sparse rows. Row i holds positions offsets[i] .. offsets[i+1]-1 of `columns` and `values`.
/// `values` is empty for a pattern matrix (every entry is 1) and holds one value for an iso matrix.
template <entry_type T, class Offset = std::int32_t>
struct csr_view {
    index_t rows = 0, columns_count = 0;
    std::span<const Offset> offsets;   ///< rows + 1
    std::span<const index_t> columns;  ///< nnz
    std::span<const T> values;         ///< nnz, 1 or 0
};

/// Coordinates. Entries may come in any order and repeat.
template <entry_type T>
struct coo_view {
    index_t rows = 0, columns_count = 0;
    std::span<const index_t> row_indices, column_indices;
    std::span<const T> values;  ///< as many, 1 (iso) or 0 (pattern)
};

}  // namespace nz
