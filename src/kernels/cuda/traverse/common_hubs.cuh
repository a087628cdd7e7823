// The strongest in-neighbour of each vertex, for pulls that look at it first.
#pragma once

#include "kernels/offset_reader.hpp"

#include <cstdint>

namespace nz::kernels::cuda {

void strongest_neighbours(offset_reader offsets, const index_t* neighbours, index_t rows, std::uint32_t* hubs,
                          void* stream);

}  // namespace nz::kernels::cuda
