// Entry point of pagerank/short_rows on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/pagerank_arguments.hpp"

namespace nz::kernels::cuda {

void pagerank_short_rows(const device_pagerank_rows_arguments& arguments, void* stream);

}  // namespace nz::kernels::cuda
