// The table of a build without CUDA (left out of the others).
#include "kernels/cuda_table.hpp"

namespace nz::kernels {

const cuda_table& on_cuda() {
    static constexpr cuda_table none{};
    return none;
}

}  // namespace nz::kernels
