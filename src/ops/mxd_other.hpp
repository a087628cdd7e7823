// Products of a sparse and a dense matrix that are not compiled themselves but can be had by others that are.
#pragma once

#include "ops/mxd_product.hpp"

#include <optional>

namespace nz::ops {

/// mxd by a compiled semiring of the same sums in a wider type (algebra/stand_in.hpp), or nothing: where there is none, where
/// this one is compiled itself, where dense operands lie on a GPU, or, unless a kernel is pinned, where there is no room for
/// the wider result.
std::optional<dense_plan> mxd_by_stand_in(const context& ctx, const dense_output& c, const semiring& s,
                                          const matrix& a, const dense_input& b,
                                          const dense_options& options);
/// Whether mxv has loops for the sums of a column, or composes them.
bool has_columns(const semiring& s, dtype a, dtype b);
/// T = A B, by columns without gaps, one column after the other by mxv on the CPU; one column for all where B's values are
/// ignored. `packed` has room for B by columns, or is null where it lies so. False where there is no room for vectors.
bool mxd_by_columns(const mxd_product& p, void* packed, const storage::dense& t);

}  // namespace nz::ops
