// What reduce/rows is called with.
#pragma once

#include "core/bits.hpp"
#include "kernels/csr_entries.hpp"
#include "nonzero/algebra.hpp"

namespace nz::kernels {

struct reduce_rows_arguments {
    const monoid* add = nullptr;
    csr_entries a;
    int threads = 1;
    // [rows]: sums of the monoid's type, and a bit where a row has an entry.
    void* sums = nullptr;
    bits::word* present = nullptr;
};

/// The same on a GPU: pointers are the device's. Rows are those that hold entries (storage::device_balance).
struct device_reduce_rows_arguments {
    offset_t entries = 0;  ///< one at least
    index_t held_rows = 0;
    offset_reader offsets;                 ///< [held_rows + 1]
    const index_t* row_numbers = nullptr;  ///< of held rows; null where all are
    const index_t* chunk_rows = nullptr;   ///< the held row of each chunk's first entry
    const void* values = nullptr;          ///< of the monoid's type
    bool one_value = false;                ///< for all of them
    void* sums = nullptr;                  ///< [rows]
    void* carries = nullptr;               ///< a value a chunk
};
using device_reduce_rows_kernel = void (*)(const device_reduce_rows_arguments&, void* stream);

}  // namespace nz::kernels
