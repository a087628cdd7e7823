// The table of a build with CUDA.
#include "kernels/cuda/traverse/push_pull_fused.cuh"
#include "kernels/cuda/traverse_many/bit_parallel.cuh"
#include "kernels/cuda_table.hpp"

namespace nz::kernels {

const cuda_table& on_cuda() {
    static constexpr cuda_table table{&cuda::push_pull_fused, &cuda::bit_parallel};
    return table;
}

}  // namespace nz::kernels
