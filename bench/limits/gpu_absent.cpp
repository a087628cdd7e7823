// The GPU's limits in a build without CUDA (left out of the others).
#include "limits/gpu.hpp"
#include "nonzero/errors.hpp"

namespace nz::bench {

const gpu_limits& measured_gpu_limits() {
    throw not_supported("this build has no CUDA: there is no GPU to measure; configure with NONZERO_CUDA=ON");
}

}  // namespace nz::bench
