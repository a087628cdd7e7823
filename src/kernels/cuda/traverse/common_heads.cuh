// Two in-neighbours of each vertex, for pulls that look at them before its row.
#pragma once

#include "kernels/offset_reader.hpp"

#include <cstdint>

namespace nz::kernels::cuda {

void strongest_neighbours(offset_reader offsets, const index_t* neighbours, index_t rows,
                          std::uint32_t* heads, void* stream);
void first_neighbours(offset_reader offsets, const index_t* neighbours, index_t rows, std::uint32_t* heads,
                      void* stream);

}  // namespace nz::kernels::cuda
