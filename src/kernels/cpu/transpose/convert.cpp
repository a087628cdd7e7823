// transpose/convert: the conversion that also builds a matrix's columns, used as an operation.
//
// Computes: T = A^T; a copy where the transpose is stored already, else a counting sort of the entries by
// column. Who owns what: threads take consecutive rows with about the same number of entries, and each
// scatters its own
//   with a histogram of columns of its own, so that rows arrive in order and nothing is compared.
// Determinism: entries only move; the result is the same for any number of threads.
// Cost: O(nnz) scattered writes and O(columns) a thread.
// Why not the reference: sorting all entries costs O(nnz log nnz) and a copy of every coordinate.
#include "kernels/cpu/transpose/convert.hpp"

namespace nz::kernels::cpu {

storage::csr transpose_convert(const context& ctx, const storage::csr& a, const storage::csr* transposed) {
    return transposed ? storage::copy(ctx, *transposed) : storage::transpose(ctx, a);
}

}  // namespace nz::kernels::cpu
