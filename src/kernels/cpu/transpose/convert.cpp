// transpose/convert: the conversion that also builds a matrix's columns, used as an operation.
//
// Computes: T = A^T; a copy where the transpose is stored already, else counting sorts of the entries by column
//   (storage/transpose.cpp).
// Who owns what: threads take consecutive rows with about the same number of entries. Where neighbouring rows name
//   neighbouring columns each scatters its own with a histogram of its own. Else each deals its own into buckets of
//   adjacent columns, 32768 entries each, through batches of four lines that go to memory past the caches
//   (storage/deal.hpp); then whichever thread is free sorts a bucket within its second-level cache.
// Sync: the joins after counting, dealing and sorting.
// Determinism: rows arrive in order and nothing is compared; the result is the same for any number of threads.
// Cost: an entry is read twice and written once when scattered; when dealt it also goes to memory and back as an item of
//   16 bytes. With random columns a fifth of the copy rate (docs/measurements/conversions.md): 4 ns an entry and thread to deal it,
//   as much to sort it, where memory alone would take half; bands and meshes a quarter to a third.
// Why not the reference: sorting all entries costs O(nnz log nnz) and a copy of every coordinate.
#include "kernels/cpu/transpose/convert.hpp"

namespace nz::kernels::cpu {

storage::csr transpose_convert(const context& ctx, const storage::csr& a, const storage::csr* transposed) {
    return transposed ? storage::copy(ctx, *transposed) : storage::transpose(ctx, a);
}

}  // namespace nz::kernels::cpu
