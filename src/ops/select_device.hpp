// Select on a GPU: matrices are brought where they are not, what is kept of them stays.
#pragma once

#include "ops/checks.hpp"

#include <optional>

namespace nz::ops {

/// What `op` keeps of A, by select/rows on the context's GPU, as a matrix of context `own`; nothing where that is the host's to do: a
/// caller's operator, an index as a value, one value for all entries.
std::optional<matrix> select_on_device(const context& ctx, const context& own, const index_unary_op& op,
                                       scalar thunk, const operand& a);
/// By select/rising: the pattern.
matrix rising_on_device(const context& ctx, const matrix& a);
/// The places of a mask that let through, as a pattern: found there where its values lie there, else on the host. Nothing where
/// that is all of it.
std::optional<matrix> mask_places_for_device(const context& ctx, const matrix& mask, bool structure);

}  // namespace nz::ops
