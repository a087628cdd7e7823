// A matrix's columns in the order of how many entries they have: graphs have a few columns that a large share of the entries lie in, and a vector
// brought into that order has what they read side by side, where caches hold it.
#pragma once

#include "storage/csr.hpp"

namespace nz::storage {

/// Columns of 2^k to 2^(k + 1) - 1 entries stand together, those with more before those with fewer, and keep their order among
/// themselves: neighbours stay neighbours. The order of a row's entries does not change. On the host or on a GPU.
struct ranked_columns {
    const csr* source;  ///< what it ranks
    std::shared_ptr<memory_resource> memory;
    index_t held = 0;       ///< columns with entries: those without come last
    buffer columns;         ///< index_t[columns]: the column at each place of the order
    buffer ranks;           ///< index_t[nnz]: for each entry the place of its column
    double kernel_ms = -1;  ///< that a GPU took to make them

    std::size_t bytes() const { return columns.bytes() + ranks.bytes(); }
};

/// O(nnz + columns), in parallel. Rows need not be sorted.
ranked_columns make_ranked_columns(const context& ctx, const csr& a);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const ranked_columns& t, const char* what);

/// Share of 65,536 entries, evenly spread, in columns that four or more of them lie in: near 1 for few columns, near 0 where all have about
/// as many entries.
double sample_hot_columns(const csr& a);

}  // namespace nz::storage
