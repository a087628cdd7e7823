// How mxm/two_level_sort finds a column before which runs, in which columns ascend, have so many places together.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

#include <limits>

namespace nz::kernels::cuda {

/// Of places in a run, whose columns ascend: those that are known to lie before a column, those that may, and what the last step found
/// for each of the columns that a step counts at once.
inline constexpr int looks = 3;
template <class Place>
struct run_search {
    Place low, high, found[looks];
};
/// Places that lie before each column, or in it: the searches go on side by side, so that their reads wait together.
template <class Place>
__device__ void places_before(const index_t* columns, const index_t (&looked)[looks],
                              run_search<Place>& run) {
    unsigned low[looks], high[looks];
#pragma unroll
    for (int k = 0; k < looks; ++k) low[k] = run.low, high[k] = run.high;
    for (unsigned left = high[0] - low[0]; left > 0; left /= 2) {
        unsigned middle[looks];
        index_t there[looks];
#pragma unroll
        for (int k = 0; k < looks; ++k) {
            middle[k] = (low[k] + high[k]) / 2;
            there[k] = low[k] < high[k] ? __ldg(columns + middle[k]) : std::numeric_limits<index_t>::max();
        }
#pragma unroll
        for (int k = 0; k < looks; ++k) {  // without branches; what is found stays
            const bool before = there[k] <= looked[k];
            low[k] = before ? middle[k] + 1 : low[k];
            high[k] = before ? high[k] : middle[k];
        }
    }
#pragma unroll
    for (int k = 0; k < looks; ++k) run.found[k] = static_cast<Place>(low[k]);
}
/// The columns of a step that halves the halves of [low, high]; and what is left of it once it is known which is the first of them that
/// has more than wanted.
struct column_step {
    index_t low, high;
    __device__ bool found() const { return low >= high; }
    __device__ void look(index_t (&looked)[looks]) const {
        const index_t quarter = (high - low) / 4, half = (high - low) / 2;
        looked[0] = low + quarter;
        looked[1] = low + half;
        looked[2] = low + half + quarter;
    }
    /// Others, which ascend, as far as they lie in it: what is left is less in any case.
    __device__ void look_about(index_t first, index_t second, index_t third, index_t (&looked)[looks]) const {
        looked[0] = min(max(first, low), high - 1);
        looked[1] = min(max(second, low), high - 1);
        looked[2] = min(max(third, low), high - 1);
    }
    __device__ void take(const index_t (&looked)[looks], int beyond) {
        if (beyond > 0) low = looked[beyond - 1] + 1;
        if (beyond < looks) high = looked[beyond];
    }
};
template <class Place>
__device__ void narrow(run_search<Place>& run, int beyond) {
    if (beyond > 0) run.low = run.found[beyond - 1];
    if (beyond < looks) run.high = run.found[beyond];
}

}  // namespace nz::kernels::cuda
