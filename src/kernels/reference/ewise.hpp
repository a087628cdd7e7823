#pragma once

#include "nonzero/algebra.hpp"
#include "storage/vector_body.hpp"

namespace nz::kernels::reference {

/// Union: op(x, y) where both are present; elsewhere the one that is, converted to the type of op's result.
storage::vector_body ewise_add(const context& ctx, const binary_op& op, const storage::vector_body& u,
                               const storage::vector_body& v);
storage::csr ewise_add(const context& ctx, const binary_op& op, const storage::csr& a, const storage::csr& b);

/// Intersection: op(x, y) where both are present.
storage::vector_body ewise_mult(const context& ctx, const binary_op& op, const storage::vector_body& u,
                                const storage::vector_body& v);
storage::csr ewise_mult(const context& ctx, const binary_op& op, const storage::csr& a,
                        const storage::csr& b);

/// The entries of A where B has none.
storage::vector_body ewise_difference(const context& ctx, const storage::vector_body& u,
                                      const storage::vector_body& v);
storage::csr ewise_difference(const context& ctx, const storage::csr& a, const storage::csr& b);
/// The entries of exactly one of them, converted to the type that both promote to.
storage::vector_body ewise_symmetric_difference(const context& ctx, const storage::vector_body& u,
                                                const storage::vector_body& v);
storage::csr ewise_symmetric_difference(const context& ctx, const storage::csr& a, const storage::csr& b);

}  // namespace nz::kernels::reference
