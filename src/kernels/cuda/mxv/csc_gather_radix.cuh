// mxv/csc_gather_radix on a GPU: the products of the columns that u lists, sorted by row, then summed (yang2015, 4.1).
//
// Few: while one block holds the products, it does all of this in shared memory, in one launch (common_gather_block.cuh). Else:
// Gather: blocks take equal numbers of products; a thread finds the column of each by binary search. Products that
//   the mask keeps out get a row beyond the last. Sort: CUB's radix sort, 8 bits a pass, on as many bits as the rows
//   have; stable, so that products of one row stay in the order of u. Sum: a warp takes 32 runs of equal rows.
// Memory: products twice (rows and values); pair semirings move rows alone.
// Determinism: the order of u's entries within a row, always.
// Cost: products x passes: 64 to 76 ps a product on an H200, and 0.08 ms at least where a block does not hold them: 5% of what their bytes would
//   take (docs/measurements/spmv.md). Why it is not enough: every product travels through memory once a pass.
#pragma once

#include "kernels/cuda/mxv/common_gather_block.cuh"
#include "kernels/phases.hpp"

namespace nz::kernels::cuda {

template <class Cell>
void csc_gather_radix(const device_mxv_arguments& a, void* stream) {
    phase_watch::mark(phase::begin);
    if (plan::may_gather_in_block(a.common.u_count, a.products)) {
        gather_few<Cell>(a, stream);
        for (const phase told : {phase::common, phase::sort, phase::scatter}) phase_watch::mark(told);
        return;
    }
    product_memory<Cell> m(a);
    gather<Cell>(a,
                 store_products<Cell>{m.pairs.keys[0], static_cast<typename Cell::value*>(m.pairs.values[0])},
                 stream);
    phase_watch::mark(phase::common);
    radix_sort(m.pairs, 0, key_bits(a.common.output_size), m.temporary, a.sort_bytes, stream);
    phase_watch::mark(phase::sort);
    m.heads = reinterpret_cast<std::int32_t*>(m.pairs.keys[1]);
    sum_sorted(a, m, stream);
    phase_watch::mark(phase::scatter);
}

}  // namespace nz::kernels::cuda
