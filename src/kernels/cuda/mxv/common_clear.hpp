// The clearing step of mxv/tile_column, which is the same for every semiring.
#pragma once

#include "kernels/mxv_arguments.hpp"

namespace nz::kernels::cuda {

/// Clears two arrays. A kernel that is launched to overlap with it may begin at once.
void clear_words(std::uint32_t* a, index_t a_words, std::uint32_t* b, index_t b_words, void* stream);

}  // namespace nz::kernels::cuda
