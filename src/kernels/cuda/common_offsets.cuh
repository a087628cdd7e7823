// Row offsets of either width, as kernels read them.
#pragma once

#include "nonzero/types.hpp"

namespace nz::kernels::cuda {

/// The branch is the same for all rows.
struct device_offsets {
    const void* data;
    bool wide;
    __device__ offset_t operator[](offset_t i) const {
        return wide ? __ldg(static_cast<const long long*>(data) + i)
                    : __ldg(static_cast<const int*>(data) + i);
    }
};

}  // namespace nz::kernels::cuda
