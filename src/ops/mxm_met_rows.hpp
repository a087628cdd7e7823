// Which chunks of A's rows a product is cut into where each meets few rows of B.
#pragma once

#include "ops/mxm_parts.hpp"

namespace nz::ops {

/// Chunks of A's rows, as long as they fit `most` bytes with the rows of B between the first and the last that they meet; none where
/// 64 rows alone do not, or where all that is brought of B is more than `worth` bytes. Columns of both ascend.
std::vector<met_rows> chunks_by_met_rows(const product& p, const plan::mxm_part_facts& f,
                                         std::string_view kernel, double most, double worth);

}  // namespace nz::ops
