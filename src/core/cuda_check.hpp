// The one place where CUDA's error codes become exceptions. For .cu files.
#pragma once

#include "nonzero/errors.hpp"

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

namespace nz {

inline void check(cudaError_t status, std::source_location where = std::source_location::current()) {
    if (status == cudaSuccess) return;
    const std::string text = std::string(cudaGetErrorName(status)) + " at " + where.file_name() + ":" +
                             std::to_string(where.line()) + ": " + cudaGetErrorString(status);
    cudaGetLastError();  // or the thread's next launch, which is fine, would be told of it
    if (status == cudaErrorMemoryAllocation) throw out_of_memory(text);
    throw device_error(text);
}

}  // namespace nz
