// transpose/convert on a GPU: the conversion that also builds a matrix's columns there, used as an operation.
//
// Computes: T = A^T (storage/device_convert.cu). Each entry's row is found by marking where rows begin and a scan of maxima;
//   (column, position) pairs are sorted by column; offsets are read off the sorted columns; rows and values are gathered.
// Who owns what: a thread an entry, but for CUB's scan and radix sort.
// Sync: none but the stream's order; temporary memory is taken and given back in that order.
// Determinism: the sort is stable, so rows ascend within each column, and nothing is summed.
// Cost: 16 bytes an entry read and written for each eight bits of a column number, 20 for rows and positions, and the
//   gathers of 4 bytes and of a value; useful are twice 4 bytes and a value. How far that is from a copy: docs/measurements.md.
// Why not atomics on a counter for each column: their order is not the rows', so every column would be sorted after all.
#include "kernels/cuda/transpose/convert.cuh"
#include "storage/matrix_body.hpp"

namespace nz::kernels::cuda {

matrix transpose_convert(const context& own, const context& gpu, const matrix& a) {
    return a.body().transposed(own, gpu);
}

}  // namespace nz::kernels::cuda
