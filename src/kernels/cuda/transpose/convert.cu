// transpose/convert on a GPU: the conversion that also builds a matrix's columns there, used as an operation.
//
// Computes: T = A^T (storage/device_transpose.cu). Many entries that reach over the columns go in three steps: they are dealt to at
//   most 256 ranges of columns, each range's to at most 256 buckets, and a block sorts a bucket by its columns
//   (storage/device_steps_deal.cuh, device_steps_sort.cuh). Many that do not and have (j,i) wherever they have (i,j), as bands and meshes
//   do, keep their rows and columns, and values are read from there (storage/device_mirror.cuh). Others go by two deals: to at most 4,096 buckets of neighbouring
//   columns, then each bucket's to its columns (storage/device_deal.cuh, device_deal_kernels.cuh). Columns beyond 2^24 are sorted.
// Who owns what: a block takes tiles of 4,096 to 6,912 consecutive entries, puts them in order in shared memory and writes runs; a
//   bucket is a block's, that of a column which very many rows have several blocks'.
// Sync: barriers within blocks, else the stream's order; temporary memory is taken and given back in that order. The host waits
//   for a look at 128 tiles of 4 M entries or more, which says by which way they go, and for whether all had their mirrors.
// Determinism: deals and sort are stable, so rows ascend within each column, and nothing is summed but counts.
// Cost: in three steps counts read 6 bytes an entry; entries are read and written three times with 4 to 6 bytes and a value. In two,
//   columns are read twice; then 4 bytes (column in its bucket, row in its window) and a value an entry are written, and 8
//   and a value read and 4 and a value written; counts by group of tiles and bucket beside. Useful are twice 4 bytes and a
//   value. Memory: 4 or 8 bytes and a value an entry, and the counts. How far that is from a copy: docs/measurements/conversions.md.
// Why three steps and not two: with few digits runs are long and nothing waits long; two move less, and serve where tiles touch few
//   columns.
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
