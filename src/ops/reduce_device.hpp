// Sums of a matrix's rows on a GPU.
#pragma once

#include "ops/checks.hpp"

#include <optional>

namespace nz::ops {

/// By reduce/rows there, where the sums stay; nothing where the monoid is not compiled, there is no GPU, or no entry.
std::optional<vector> reduce_rows_on_device(const context& ctx, const monoid& add, const operand& a);

/// Whether a built-in monoid is compiled there for sums of this type.
bool sums_rows_on_device(const monoid& add, dtype type);
/// The sums of values of such a type, one for each of A's entries, by the rows that these stand in: into sums[row] there, but for rows without entries.
void write_row_sums_on_device(const context& ctx, const monoid& add, const operand& a, dtype type,
                              const void* values, bool one_value, void* sums);
/// The sums of values of such a type, one for each of A's entries or one for all, by the rows that these stand in.
vector sum_rows_on_device(const context& ctx, const monoid& add, const operand& a, dtype type,
                          const void* values, bool one_value = false);

}  // namespace nz::ops
