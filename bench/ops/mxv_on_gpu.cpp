#include "ops/matvec_on_gpu.hpp"

namespace nz::bench {

double mxv_on_gpu_ms(const context&, const matrix&, const vector&, vector&, std::string_view, dtype, int) {
    throw not_supported("mxv has no CUDA kernel yet");
}

}  // namespace nz::bench
