// What every mxv kernel is called with on a GPU: pointers are the device's.
#pragma once

#include "kernels/mxv_arguments.hpp"

namespace nz::kernels {

struct device_mxv_arguments {
    /// As on the CPU, with `threads` and `workspace` unused by csr_row and csr_row_masked. For csr_merge the offsets
    /// are those of the rows that hold entries.
    mxv_arguments common;
    // csr_row: rows that take a block each.
    const index_t* long_rows = nullptr;
    index_t long_row_count = 0;
    // csr_merge: row numbers (null: every row holds entries, k is its own number), and for every chunk of
    // entries the row that its first entry lies in, [chunks + 1].
    const index_t* row_numbers = nullptr;
    const index_t* chunk_rows = nullptr;
    index_t held_rows = 0;
    offset_t longest_row = 0;
    // The gathers: starts[u_count + 1] of the columns' products. Where one block may hold them their number may be unknown, -1: then
    // csc_gather_radix writes it behind *out_count, and where the block does not hold them `starts` and nothing else.
    offset_t* starts = nullptr;
    offset_t products = 0;
    std::size_t sort_bytes = 0;  ///< temporary memory of the sort, at the end of the workspace
};

/// Puts its work on `stream` (a cudaStream_t) and returns.
using device_mxv_kernel = void (*)(const device_mxv_arguments&, void* stream);

}  // namespace nz::kernels
