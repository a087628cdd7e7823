// The Kronecker product on a GPU.
#pragma once

#include "ops/checks.hpp"

#include <optional>

namespace nz::ops {

/// A (x) B on the context's GPU, where it stays; of context `own`. Nothing where the operator is not compiled for the operands' common
/// type, there is no GPU, or no room.
std::optional<matrix> kronecker_on_device(const context& ctx, const context& own, const binary_op& op,
                                          const operand& a, const operand& b);

}  // namespace nz::ops
