// betweenness/queue on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/betweenness_arguments.hpp"

namespace nz::kernels::cuda {

void betweenness_queue(const device_betweenness_queue_arguments& k, void* stream);

}  // namespace nz::kernels::cuda
