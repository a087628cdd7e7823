// Row offsets of either width, as kernels read them.
#pragma once

#include "nonzero/types.hpp"

#include <thrust/iterator/transform_iterator.h>

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

struct as_offset {
    __device__ offset_t operator()(index_t n) const { return n; }
};
/// Counts as offsets: a scan adds up in the type that it reads.
inline auto as_offsets(const index_t* counts) { return thrust::make_transform_iterator(counts, as_offset{}); }

}  // namespace nz::kernels::cuda
