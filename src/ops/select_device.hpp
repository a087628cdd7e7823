// Select on a GPU: matrices are brought where they are not, what is kept of them stays.
#pragma once

#include "core/bits.hpp"
#include "ops/checks.hpp"

#include <optional>

namespace nz::ops {

/// What `op` keeps of A, by select/rows on the context's GPU, as a matrix of context `own`; nothing where that is the host's to do: a
/// caller's operator, an index as a value, one value for all entries.
std::optional<matrix> select_on_device(const context& ctx, const context& own, const index_unary_op& op,
                                       scalar thunk, const operand& a);
/// By select/rising: the pattern.
matrix rising_on_device(const context& ctx, const matrix& a);
/// The entries whose columns have a place (there), -1 being none, which is theirs in the result; places ascend.
matrix columns_placed_on_device(const context& ctx, const context& own, const operand& a,
                                const index_t* place_of, index_t columns);
/// The entries within the region of rows and columns with a bit (there), of which one kind may be missing and means all, or those outside it;
/// where `places_alone` says so a pattern.
matrix region_on_device(const context& ctx, const context& own, const matrix& a, const bits::word* rows,
                        const bits::word* columns, bool within, bool places_alone = false);
/// The places of a mask that let through, as a pattern: found there where its values lie there, else on the host. Nothing where
/// that is all of it.
std::optional<matrix> mask_places_for_device(const context& ctx, const matrix& mask, bool structure);

}  // namespace nz::ops
