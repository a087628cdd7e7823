// Sums of a matrix's rows on a GPU.
#pragma once

#include "ops/checks.hpp"

#include <optional>

namespace nz::ops {

/// By reduce/rows there, where the sums stay; nothing where the monoid is not compiled, there is no GPU, or no entry.
std::optional<vector> reduce_rows_on_device(const context& ctx, const monoid& add, const operand& a);

}  // namespace nz::ops
