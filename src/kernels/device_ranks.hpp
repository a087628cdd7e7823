// How a GPU ranks the columns of a CSR by their entries (storage/ranked_columns.hpp).
#pragma once

#include "nonzero/types.hpp"

#include <cstddef>

namespace nz::kernels {

/// Pointers are the device's.
struct device_rank_build {
    const index_t* indices = nullptr;
    offset_t nnz = 0;
    index_t columns = 0;
    index_t* places = nullptr;  ///< [columns]: the entries of each, then its rank
    // The result.
    index_t* order = nullptr;   ///< [columns]
    index_t* ranks = nullptr;   ///< [nnz]
    index_t* held = nullptr;    ///< columns with entries
    void* temporary = nullptr;  ///< of temporary_bytes
};

struct device_rank_table {
    std::size_t (*temporary_bytes)(index_t columns) = nullptr;
    void (*rank)(const device_rank_build& build, void* stream) = nullptr;
};

}  // namespace nz::kernels
