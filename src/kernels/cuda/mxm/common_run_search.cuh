// How mxm/two_level_sort finds a column before which runs, in which columns ascend, have so many places together.
#pragma once

#include "kernels/cuda/mxm/common_rows.cuh"

#include <limits>

namespace nz::kernels::cuda {

/// Of places in a run, whose columns ascend: those that are known to lie before a column, those that may, and what the last step found
/// for each of the columns that a step counts at once.
template <class Place, int Looks>
struct run_search {
    Place low, high, found[Looks];

    /// `beyond`: which of the step's columns is the first that has more than wanted, Looks for none.
    __device__ void narrow(int beyond) {
        if (beyond > 0) low = found[beyond - 1];
        if (beyond < Looks) high = found[beyond];
    }
};
/// Places that lie before each column, or in it: the searches go on side by side, so that their reads wait together.
template <class Place, int Looks>
__device__ void places_before(const index_t* columns, const index_t (&looked)[Looks],
                              run_search<Place, Looks>& run) {
    unsigned low[Looks], high[Looks];
#pragma unroll
    for (int k = 0; k < Looks; ++k) low[k] = run.low, high[k] = run.high;
    for (unsigned left = high[0] - low[0]; left > 0; left /= 2) {
        unsigned middle[Looks];
        index_t there[Looks];
#pragma unroll
        for (int k = 0; k < Looks; ++k) {
            middle[k] = (low[k] + high[k]) / 2;
            there[k] = low[k] < high[k] ? __ldg(columns + middle[k]) : std::numeric_limits<index_t>::max();
        }
#pragma unroll
        for (int k = 0; k < Looks; ++k) {  // without branches; what is found stays
            const bool before = there[k] <= looked[k];
            low[k] = before ? middle[k] + 1 : low[k];
            high[k] = before ? high[k] : middle[k];
        }
    }
#pragma unroll
    for (int k = 0; k < Looks; ++k) run.found[k] = static_cast<Place>(low[k]);
}

/// Where the column lies: at `low` or beyond, and at `high` at most.
struct column_search {
    index_t low, high;

    __device__ bool found() const { return low >= high; }
    /// The columns of a step that divides what is left into equal parts.
    template <int Looks>
    __device__ void look(index_t (&looked)[Looks]) const {
#pragma unroll
        for (int k = 0; k < Looks; ++k)
            looked[k] = low + static_cast<index_t>(offset_t{high - low} * (k + 1) / (Looks + 1));
    }
    /// Those of another step, which ascend, as far as they lie in what is left: it gets less in any case.
    template <int Looks>
    __device__ void keep_within(index_t (&looked)[Looks]) const {
#pragma unroll
        for (int k = 0; k < Looks; ++k) looked[k] = min(max(looked[k], low), high - 1);
    }
    template <int Looks>
    __device__ void take(const index_t (&looked)[Looks], int beyond) {
        if (beyond > 0) low = looked[beyond - 1] + 1;
        if (beyond < Looks) high = looked[beyond];
    }
};

}  // namespace nz::kernels::cuda
