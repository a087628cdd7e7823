// Entry point of pagerank/step on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/pagerank_arguments.hpp"

namespace nz::kernels::cuda {

void pagerank_step(const pagerank_step_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
