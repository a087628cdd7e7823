// From the words that a search on a GPU leaves to a vector of distances there.
#pragma once

#include "kernels/shortest_arguments.hpp"

namespace nz::kernels::cuda {

void shortest_count(const device_shortest_result& arguments, void* stream);
void shortest_keep(const device_shortest_result& arguments, void* stream);

}  // namespace nz::kernels::cuda
