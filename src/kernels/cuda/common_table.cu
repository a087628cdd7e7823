// The table of a build with CUDA.
#include "kernels/cuda/traverse/push_pull_fused.cuh"
#include "kernels/cuda_table.hpp"

namespace nz::kernels {

const cuda_table& on_cuda() {
    static constexpr cuda_table table{&cuda::push_pull_fused};
    return table;
}

}  // namespace nz::kernels
