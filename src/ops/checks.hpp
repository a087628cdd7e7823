// The first of an operation's five steps: shapes, indices and pins, with messages that state both sides.
#pragma once

#include "nonzero/operations.hpp"
#include "storage/matrix_body.hpp"

#include <string>
#include <string_view>

namespace nz::ops {

/// A matrix as an operation reads it: itself or its transpose.
struct operand {
    const matrix& a;
    bool transposed = false;

    offset_t rows() const { return transposed ? a.columns() : a.rows(); }
    offset_t columns() const { return transposed ? a.rows() : a.columns(); }
    const storage::csr& entries() const { return transposed ? a.body().columns() : a.body().rows(); }
    /// "A^T is 3 x 4 float64".
    std::string describe(std::string_view name) const;
};
/// "u has 5 entries of int32".
std::string describe(std::string_view name, const vector& v);

/// The mask must have the output's shape.
void check_mask(std::string_view operation, const vector& w, const vector_options& options);
void check_mask(std::string_view operation, const matrix& c, const matrix_options& options);
/// The output must have this size or shape; `because` says what gives it, e.g. operand.describe("A").
void check_output(std::string_view operation, const vector& w, offset_t size, std::string_view because);
void check_output(std::string_view operation, const matrix& c, offset_t rows, offset_t columns,
                  std::string_view because);
/// Throws index_out_of_bounds unless all indices lie in [0, extent).
void check_indices(const context& ctx, std::string_view operation, std::string_view what,
                   const index_list& list, offset_t extent);
/// That a search may begin there. Throws index_out_of_bounds.
void check_source(offset_t source, offset_t vertices);
void check_index(std::string_view operation, std::string_view what, index_t index, offset_t extent);
/// Throws domain_error with the known ids unless `pinned` is empty, "reference" or one of the CPU's ids.
void check_kernel(std::string_view operation, std::string_view pinned);

}  // namespace nz::ops
