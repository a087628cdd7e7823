// Typed, non-owning views: how CSR arrays and dense arrays go in and out without copies.
#pragma once

#include "nonzero/types.hpp"

#include <cstddef>
#include <span>
#include <type_traits>

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

/// Which entries of a dense matrix are neighbours in memory: those of a row, or those of a column.
enum class dense_order : std::uint8_t { row_major, column_major };
/// "row", "column".
std::string_view name_of(dense_order order);

/// A dense matrix in the caller's memory: entry (i, j) is values[i * stride + j] row-major, values[j * stride + i]
/// column-major. Every place is an entry. `T` may be const. mxd takes memory of the context's GPU too, ready before the call:
/// it is used where it lies.
template <class T>
    requires entry_type<std::remove_const_t<T>>
struct dense_view {
    index_t rows = 0, columns = 0;
    std::span<T> values;
    dense_order order = dense_order::row_major;
    offset_t stride = 0;  ///< from a row (column) to the next; 0: no gaps
};

/// A dense_view of any type: what operations read.
struct dense_input {
    dtype type;
    index_t rows, columns;
    const void* data;
    std::size_t size;  ///< values that the caller's memory holds
    dense_order order;
    offset_t stride;

    template <class T>
    dense_input(const dense_view<T>& v)  // NOLINT: a view is an input
        : type(dtype_of<std::remove_const_t<T>>),
          rows(v.rows),
          columns(v.columns),
          data(v.values.data()),
          size(v.values.size()),
          order(v.order),
          stride(v.stride) {}
};
/// A dense_view of any type that operations write to.
struct dense_output : dense_input {
    void* target;

    template <entry_type T>
    dense_output(const dense_view<T>& v)  // NOLINT: a view is an output
        : dense_input(v), target(v.values.data()) {}
};

}  // namespace nz
