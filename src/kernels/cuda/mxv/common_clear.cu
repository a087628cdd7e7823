#include "kernels/cuda/mxv/common_clear.hpp"
#include "kernels/cuda/mxv/common_row.cuh"

namespace nz::kernels::cuda {
namespace {

constexpr unsigned clear_block = 256;

__global__ void __launch_bounds__(clear_block)
    clear_kernel(std::uint32_t* a, index_t a_words, std::uint32_t* b, index_t b_words) {
    cudaTriggerProgrammaticLaunchCompletion();
    const auto k = static_cast<index_t>(blockIdx.x * clear_block + threadIdx.x);
    if (k < a_words) a[k] = 0;
    if (k < b_words) b[k] = 0;
}

}  // namespace

void clear_words(std::uint32_t* a, index_t a_words, std::uint32_t* b, index_t b_words, void* stream) {
    clear_kernel<<<blocks_for(a_words > b_words ? a_words : b_words, clear_block), clear_block, 0,
                   static_cast<cudaStream_t>(stream)>>>(a, a_words, b, b_words);
    check(cudaGetLastError());
}

}  // namespace nz::kernels::cuda
