// The table of a build with CUDA.
#include "kernels/cuda/shortest/delta_stepping.cuh"
#include "kernels/cuda/traverse/push_pull_fused.cuh"
#include "kernels/cuda_table.hpp"

namespace nz::kernels {

const cuda_table& on_cuda() {
    static constexpr cuda_table table{&cuda::push_pull_fused, &cuda::delta_stepping};
    return table;
}

}  // namespace nz::kernels
