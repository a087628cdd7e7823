// Entry point of transpose/convert on a GPU; the essay is in the .cu file.
#pragma once

#include "nonzero/matrix.hpp"

namespace nz::kernels::cuda {

/// T = A^T, of context `own`, in the GPU's memory; A is copied there where it is not. Takes its memory from the pool.
matrix transpose_convert(const context& own, const context& gpu, const matrix& a);

}  // namespace nz::kernels::cuda
