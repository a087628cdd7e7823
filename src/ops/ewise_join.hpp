// Entrywise joins of matrices on the compiled kernels.
#pragma once

#include "kernels/ewise_arguments.hpp"
#include "nonzero/algebra.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

/// A op B by ewise/balanced_path, or nothing where operator and types are not compiled. Repeated places are matched by
/// rank. For subtract and exclude `op` is not looked at.
std::optional<storage::csr> join_balanced(const context& ctx, kernels::set_operation operation,
                                          const binary_op& op, const storage::csr& a, const storage::csr& b);
/// The same for two sparse vectors.
std::optional<storage::vector_body> join_balanced(const context& ctx, kernels::set_operation operation,
                                                  const binary_op& op, const storage::vector_body& u,
                                                  const storage::vector_body& v);

}  // namespace nz::ops
