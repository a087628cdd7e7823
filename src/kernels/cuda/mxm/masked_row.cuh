// mxm/masked_row on a GPU: C<M> = A B or C<!M> = A B by the tables of mxm/hash (hash.cuh), less what the mask bars.
//
// Computes: where the mask lists what may be written, a row's table holds the mask's words; the products' pairs touch what is
//   allowed there, and a product without a place is passed over. Complemented, and for a block's rows, columns are collected
//   as hash does, and each word finds by binary search which of them the mask's row lists. Sorted products (up to 64 under a
//   mask that lists, 256 under one that does not) ask for each column. Rows whose mask is empty are not looked at.
// Who owns what, shared memory, sync, workspace: as hash.
// Determinism: products of one place are added in the order of k. Bit for bit the CPU's.
// Cost: all products are looked at, twice; the result takes no more memory than the mask allows. Distance to the limit (H200):
//   docs/measurements/spgemm.md; rows that a block has go through all columns' bits.
// Why hash was not enough: it makes all places, and the write-back drops those barred.
#pragma once

#include "kernels/cuda/mxm/hash.cuh"

namespace nz::kernels::cuda {

template <class Cell>
void masked_row_fill(const device_mxm_arguments& k, void* stream) {
    hash_fill<Cell, true>(k, stream);
}

}  // namespace nz::kernels::cuda
