// transpose/convert on a GPU: the conversion that also builds a matrix's columns there, used as an operation.
//
// Computes: T = A^T (storage/device_transpose.cu) by two stable deals: entries to at most 4,096 buckets of neighbouring columns,
//   then each bucket's to its columns (storage/device_deal.cuh, device_deal_kernels.cuh). Columns beyond 2^24 are sorted.
// Who owns what: a block takes tiles of 6,912 consecutive entries, puts them in order in shared memory and writes runs; a bucket
//   is a block's, that of a column which very many rows have several blocks'.
// Sync: barriers within blocks, else the stream's order; temporary memory is taken and given back in that order.
// Determinism: deals and sort are stable, so rows ascend within each column, and nothing is summed but counts.
// Cost: columns are read twice; then 4 bytes (column in its bucket, row in its window) and a value an entry are written, and 8
//   and a value read and 4 and a value written; counts by group of tiles and bucket beside. Useful are twice 4 bytes and a
//   value. Memory: those 4 bytes and a value an entry, and the counts. How far that is from a copy: docs/measurements.md.
// Why not the sort alone: (column, position) pairs moved 16 bytes an entry for each eight bits of a column number, and the
//   gathers after it read a sector for each row and value.
// Why not atomics on a counter for each column: their order is not the rows', so every column would be sorted after all.
#include "kernels/cuda/transpose/convert.cuh"
#include "storage/matrix_body.hpp"

namespace nz::kernels::cuda {

matrix transpose_convert(const context& own, const context& gpu, const matrix& a) {
    return a.body().transposed(own, gpu);
}

}  // namespace nz::kernels::cuda
