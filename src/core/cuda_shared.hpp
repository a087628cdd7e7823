// Dynamic shared memory beyond what launches are given unasked. For .cu files.
#pragma once

#include "core/cuda_check.hpp"

#include <cstddef>
#include <mutex>

namespace nz {

/// Lets launches of the kernel take so many bytes. What was allowed before stays so: another thread may be about to take it.
template <class Kernel>
void allow_shared(Kernel kernel, std::size_t bytes) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const void* function = reinterpret_cast<const void*>(kernel);
    cudaFuncAttributes about{};
    check(cudaFuncGetAttributes(&about, function));
    if (static_cast<std::size_t>(about.maxDynamicSharedSizeBytes) < bytes)
        check(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
}

}  // namespace nz
