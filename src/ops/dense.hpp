// What mxd and sddmm share: checks of dense operands, and values in the type that a kernel reads.
#pragma once

#include "nonzero/operations.hpp"
#include "storage/dense.hpp"

#include <limits>
#include <string>

namespace nz::ops {

/// "B is 3 x 4 float64".
std::string describe(std::string_view name, const storage::dense& d);
/// The view, or its transpose, as a matrix. Throws domain_error for negative sizes or a stride shorter than a row (column),
/// dimension_mismatch where the memory is smaller than the shape needs.
storage::dense checked(std::string_view operation, std::string_view name, const dense_input& v,
                       bool transposed);
/// Throws domain_error where [data, data + bytes) and the memory of `d` have a byte in common.
void check_apart(std::string_view operation, std::string_view name, const storage::dense& d,
                 std::string_view other, const void* data, std::size_t bytes);
/// Bytes from the first entry of `d` to its last, both included.
std::size_t extent(const storage::dense& d);
/// Throws domain_error for an id that the operation does not have, not_supported for one that neither the CPU nor (with
/// `on_device`) the GPU has or that is not compiled (`compiled` is false).
void check_dense_kernel(std::string_view operation, std::string_view pinned, bool compiled,
                        const semiring& ring, dtype operand, bool on_device = false);
/// Bytes that the context's limit leaves.
std::size_t memory_left(const context& ctx);

}  // namespace nz::ops
