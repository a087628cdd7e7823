// The entry points of the CUDA backend. In a build without CUDA the table is empty.
#pragma once

#include "kernels/traverse_arguments.hpp"
#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels {

/// Each puts its work on `stream` (a cudaStream_t) and returns; pointers in the arguments are the device's.
struct cuda_table {
    void (*push_pull_fused)(const device_traverse_arguments& arguments, void* stream) = nullptr;
    void (*bit_parallel)(const device_traverse_many_arguments& arguments, void* stream) = nullptr;
};

const cuda_table& on_cuda();

}  // namespace nz::kernels
