// The marking step of mxv/tile_column, which is the same for every semiring.
#pragma once

#include "kernels/mxv_arguments.hpp"

namespace nz::kernels::cuda {

/// Sets a bit for each row of tiles that an entry of u meets; u has `size` places, `present` its bitmap.
void mark_tile_rows(const value_tile_arguments& tiles, const std::uint32_t* present, index_t size,
                    std::uint32_t* marked, void* stream);

}  // namespace nz::kernels::cuda
