// Entrywise joins of matrices on the compiled kernels.
#pragma once

#include "kernels/ewise_arguments.hpp"
#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

/// The cell of the manifest that an operation on A and B runs in.
struct ewise_choice {
    binary_id op = binary_id::first;
    dtype compiled = dtype::float64;  ///< the type that the kernel is made for
    dtype type = dtype::float64;      ///< of operands and result, as wide
};
/// Nothing where the operator cannot be compiled for the types. Difference and symmetric difference do not look at it.
std::optional<ewise_choice> choose_ewise(kernels::set_operation operation, const binary_op& op, dtype a,
                                         dtype b);

/// A op B by ewise/balanced_path, or nothing where operator and types are not compiled. Repeated places are matched by
/// rank. For subtract and exclude `op` is not looked at.
std::optional<storage::csr> join_balanced(const context& ctx, kernels::set_operation operation,
                                          const binary_op& op, const storage::csr& a, const storage::csr& b);
/// The same for two sparse vectors.
std::optional<storage::vector_body> join_balanced(const context& ctx, kernels::set_operation operation,
                                                  const binary_op& op, const storage::vector_body& u,
                                                  const storage::vector_body& v);

}  // namespace nz::ops
