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
    dtype type = dtype::float64;      ///< of operands and of what it writes, as wide
    dtype result = dtype::float64;    ///< what that is cast to
    bool reads_b = true;              ///< values of B, not its places alone
};
/// Nothing where the operator cannot be compiled for the types. Difference and symmetric difference do not look at it.
std::optional<ewise_choice> choose_ewise(kernels::set_operation operation, const binary_op& op, dtype a,
                                         dtype b);
/// Values of this type as they are: A's where both have a place; and A's alone, at those of its places that B's choose.
ewise_choice moving(dtype type);
ewise_choice moving_a(dtype type);

/// The type that operands are taken in: of a union both have entries in the result, else one that the operator ignores has no say.
dtype joined_type(kernels::set_operation operation, const binary_op& op, dtype a, dtype b);
/// Whether an operation looks at the operator.
constexpr bool computes(kernels::set_operation operation) {
    return operation == kernels::set_operation::intersect || operation == kernels::set_operation::unite;
}

/// A op B for an operator that the balanced path is not compiled for: it moves the values of places that both have, which are
/// joined as words, and then of a union the others. Or nothing.
std::optional<storage::csr> join_values(const context& ctx, kernels::set_operation operation,
                                        const binary_op& op, const storage::csr& a, const storage::csr& b);

/// A op B by ewise/balanced_path, or nothing where that is not compiled. Repeated places are matched by rank.
std::optional<storage::csr> join_balanced(const context& ctx, kernels::set_operation operation,
                                          const ewise_choice& how, const storage::csr& a,
                                          const storage::csr& b);
/// The same for two sparse vectors.
std::optional<storage::vector_body> join_balanced(const context& ctx, kernels::set_operation operation,
                                                  const ewise_choice& how, const storage::vector_body& u,
                                                  const storage::vector_body& v);

}  // namespace nz::ops
