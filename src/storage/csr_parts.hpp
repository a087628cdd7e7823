// Parts of a CSR, runs of its rows and ranges of its columns; and a CSR that is put together from products of such parts.
#pragma once

#include "storage/csr.hpp"

#include <functional>
#include <vector>

namespace nz::storage {

/// Rows [first, last): a's own indices and values, which are to outlive it, under offsets of their own.
csr rows_between(const context& ctx, const csr& a, index_t first, index_t last);
/// The same with columns numbered from `origin` on, of which there are `columns`: indices are copied.
csr rows_between(const context& ctx, const csr& a, index_t first, index_t last, index_t origin,
                 index_t columns);
/// Columns [first, last), numbered from 0 on, of an `a` whose columns ascend: copied, or without its values as a pattern.
csr columns_between(const context& ctx, const csr& a, index_t first, index_t last, bool with_values = true);

/// Entries of all columns before each, and of all at the end.
array<offset_t> column_starts(const context& ctx, const csr& a);
/// Where [0, n) is cut into at most `parts` with about as much between neighbours; before(i), which rises, is what lies before i.
std::vector<index_t> even_cuts(index_t n, index_t parts, const std::function<double(index_t)>& before);

/// Some rows of a strip of a product's columns; entries of row i stand from starts[i] - starts[0] on.
struct strip_rows {
    std::span<const offset_t> starts;  ///< [rows + 1]
    const index_t* columns;
    const void* values;
    index_t first_column;  ///< of the strip
};
/// Moves them behind what rows of `to` have so far: those of row i to next[i], which moves on by as many.
void append(int threads, const strip_rows& rows, offset_t* next, csr& to);

}  // namespace nz::storage
