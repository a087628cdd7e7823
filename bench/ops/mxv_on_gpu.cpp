#include "harness.hpp"
#include "ops/matvec_on_gpu.hpp"
#include "ops/mxv_device.hpp"

namespace nz::bench {

double mxv_on_gpu_ms(const context& gpu, const matrix& a, const vector& x, vector& y, std::string_view kernel,
                     dtype type, int repeats, determinism order, std::string* planned) {
    const semiring ring(binary_id::plus, binary_id::times, type);
    vector_options options{.kernel = kernel};
    options.determinism = order;
    const mxv_plan plan = mxv(gpu, y, ring, a, x, options);
    if (planned && kernel.empty()) *planned = plan.kernel;
    return median(ops::mxv_kernel_ms(gpu, ring, a, x, options, repeats));
}

}  // namespace nz::bench
