// Entrywise joins of matrices on a GPU.
#pragma once

#include "kernels/device_ewise_arguments.hpp"
#include "ops/checks.hpp"
#include "ops/ewise_join.hpp"

#include <optional>
#include <vector>

namespace nz::ops {

/// A op B by ewise/balanced_path on the context's GPU, where the result stays; or nothing where operator and types are
/// not compiled. The result is of context `own`. Waits for the number of results.
std::optional<matrix> join_on_device(const context& ctx, const context& own, kernels::set_operation operation,
                                     const ewise_choice& how, const operand& a, const operand& b);

/// join_values there.
std::optional<matrix> join_values_on_device(const context& ctx, const context& own,
                                            kernels::set_operation operation, const binary_op& op,
                                            const operand& a, const operand& b);

/// Milliseconds between two events around each of `repeats` runs of both passes, operands resident and memory taken; the
/// result's size is not waited for. Throws not_supported where this does not run on a GPU.
std::vector<double> ewise_kernel_ms(const context& ctx, kernels::set_operation operation, const binary_op& op,
                                    const operand& a, const operand& b, int repeats);

}  // namespace nz::ops
