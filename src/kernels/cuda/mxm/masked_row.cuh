// mxm/masked_row on a GPU: C<M> = A B or C<!M> = A B by the tables of mxm/hash (hash.cuh), less what the mask bars.
//
// Computes: a row's columns are collected as hash does; then each word of 32 (a block's of 64) finds by binary search which of
//   its columns the mask's row lists and keeps those, or the others; sorted products ask for each column. A product whose
//   column is not kept is passed over. Rows whose mask is empty are not looked at.
// Who owns what, shared memory, sync, workspace: as hash.
// Determinism: products of one place are added in the order of k. Bit for bit the CPU's.
// Cost: hash's and a search of the mask's row a word, whatever the mask lists: all products are looked at. The result takes no
//   more memory than the mask allows.
// Why hash was not enough: it makes all places, and the write-back, on the host, drops those barred.
#pragma once

#include "kernels/cuda/mxm/hash.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void masked_row_fill(const device_mxm_arguments& k, void* stream) {
    hash_fill<Cell, true>(k, stream);
}

}  // namespace nz::kernels::cuda
