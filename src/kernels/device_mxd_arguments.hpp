// What the kernels of mxd are called with on a GPU: pointers are the device's.
#pragma once

#include "kernels/mxd_arguments.hpp"

namespace nz::kernels {

struct device_mxd_arguments {
    /// As on the CPU, with rows of B and C that lie by rows. `workspace` is csr_merge's carries, `threads` unused.
    mxd_arguments common;
    // csr_merge: the rows that hold entries: their offsets, their numbers (null: every row holds some), and for every chunk
    // of entries the row that its first entry lies in, [chunks + 1].
    offset_reader held_offsets;
    const index_t* row_numbers = nullptr;
    const index_t* chunk_rows = nullptr;
    index_t held_rows = 0;
    bool wide_tiles = false;  ///< csr_merge: as the plan has it
};

/// Puts its work on `stream` (a cudaStream_t) and returns.
using device_mxd_kernel = void (*)(const device_mxd_arguments&, void* stream);

/// to(i, j) = from(i, j) for dense matrices of values of `bytes` each, whichever way they lie.
struct device_dense_copy {
    index_t rows = 0, columns = 0;
    int bytes = 8;
    const void* from = nullptr;
    offset_t from_row_step = 0, from_column_step = 1;
    void* to = nullptr;
    offset_t to_row_step = 0, to_column_step = 1;
};

}  // namespace nz::kernels
