// What is assigned to a region of a matrix: spread over its shape, and put in the region's place, by assign/rows.
#pragma once

#include "nonzero/operations.hpp"
#include "storage/csr.hpp"

#include <optional>

namespace nz::ops {

/// The lists of rows and columns that an assignment names.
struct region {
    const index_list &rows, &columns;
    bool everything() const { return rows.is_all() && columns.is_all(); }
};

/// x at every place of the region; where there is a mask, at those of them that it has, which let through.
storage::csr spread_scalar(const context& ctx, const matrix& c, scalar x, const region& where,
                           const matrix* mask, bool structure);
/// C outside the region and T, which lies in it, within, in C's type.
storage::csr region_replaced(const context& ctx, const storage::csr& c, const storage::csr& t,
                             const region& where);

/// Row or column `at` of C as a vector, where C lies.
vector line_of(const context& ctx, const matrix& c, index_t at, bool by_row);
/// The reverse, a matrix of one row or column.
matrix matrix_of_line(const context& ctx, const matrix& c, const vector& line, bool by_row);

// The same on the context's GPU, where results stay, or nothing where there is none, or no room.
std::optional<matrix> spread_scalar_on_device(const context& ctx, const matrix& c, scalar x,
                                              const region& where, const matrix* mask, bool structure);
std::optional<matrix> region_replaced_on_device(const context& ctx, const matrix& c, const matrix& t,
                                                const region& where);

}  // namespace nz::ops
