// rowindex, colindex and diagindex by apply/places: on the GPU where what they are of lies there, or on the host. Nothing for other
// operators; on_device has nothing either where the host is to do it.
#pragma once

#include "ops/checks.hpp"
#include "storage/csr.hpp"
#include "storage/vector_body.hpp"

#include <optional>

namespace nz::ops {

std::optional<vector> apply_places_on_device(const context& ctx, const index_unary_op& op, const vector& u,
                                             scalar thunk);
std::optional<matrix> apply_places_on_device(const context& ctx, const context& own, const index_unary_op& op,
                                             const operand& a, scalar thunk);
std::optional<storage::vector_body> apply_places(const context& ctx, const index_unary_op& op,
                                                 const storage::vector_body& u, scalar thunk);
std::optional<storage::csr> apply_places(const context& ctx, const index_unary_op& op, const storage::csr& a,
                                         scalar thunk);

}  // namespace nz::ops
