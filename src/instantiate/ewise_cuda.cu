#include "instantiate/ewise_lists.hpp"
#include "kernels/cuda/ewise/balanced_path.cuh"

namespace nz::instantiate {
namespace {

struct on_cuda {
    using kernel = kernels::device_ewise_kernel;
    template <binary_id Op, class T>
    static constexpr kernel fill() {
        return &kernels::cuda::balanced_path_fill<Op, T>;
    }
};

}  // namespace

kernels::device_ewise_kernel find_ewise_device_fill(binary_id op, dtype type) {
    return ewise_manifest<on_cuda>::find(op, type);
}

}  // namespace nz::instantiate
