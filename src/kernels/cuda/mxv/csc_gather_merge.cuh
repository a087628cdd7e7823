// mxv/csc_gather_merge on a GPU: the same gather with a merge sort in place of the radix sort (yang2015, 4.2): sorted
// tiles are merged in pairs by merge path, CUB's stable merge sort.
//
// Memory and determinism as csc_gather_radix. Cost: products x log2(products / tile): more passes than the radix
// sort's as soon as there are many products, fewer on few: 0.06 to 0.07 ms for 3,600 to 6,700 on an H200, twice the radix sort's
//   time for 6.5 M (docs/measurements/spmv.md).
#pragma once

#include "kernels/cuda/mxv/common_gather.cuh"
#include "kernels/phases.hpp"

namespace nz::kernels::cuda {

template <class Cell>
void csc_gather_merge(const device_mxv_arguments& a, void* stream) {
    phase_watch::mark(phase::begin);
    product_memory<Cell> m(a);
    gather<Cell>(a,
                 store_products<Cell>{m.pairs.keys[0], static_cast<typename Cell::value*>(m.pairs.values[0])},
                 stream);
    phase_watch::mark(phase::common);
    merge_sort(m.pairs, m.temporary, a.sort_bytes, stream);
    phase_watch::mark(phase::sort);
    sum_sorted(a, m, stream);
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cuda
