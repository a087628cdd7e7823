// Entry points of the ranking of columns on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/device_ranks.hpp"

namespace nz::kernels::cuda {

std::size_t rank_temporary_bytes(index_t columns);
void rank_columns(const device_rank_build& build, void* stream);

}  // namespace nz::kernels::cuda
