// How a GPU brings a CSR's entries into ranges of columns (storage/column_bins.hpp).
#pragma once

#include "nonzero/types.hpp"
#include "storage/column_bins.hpp"

#include <cstddef>
#include <cstdint>

namespace nz::kernels {

/// Pointers are the device's.
struct device_bin_build {
    const index_t* indices = nullptr;
    const void* values = nullptr;  ///< null: none are moved
    std::size_t value_bytes = 0;
    offset_t nnz = 0;
    index_t width = 0;  ///< columns of a range
    offset_t ranges = 0;
    // The result, as column_bins has it.
    std::uint32_t* range_starts = nullptr;
    std::uint16_t* columns = nullptr;
    void* out_values = nullptr;
    std::uint16_t* order = nullptr;
    storage::bin_word* words = nullptr;
    std::uint32_t* deltas = nullptr;
    void* temporary = nullptr;  ///< of temporary_bytes
};

struct device_bin_table {
    std::size_t (*temporary_bytes)(offset_t nnz, offset_t ranges) = nullptr;
    void (*make)(const device_bin_build& build, void* stream) = nullptr;
};

}  // namespace nz::kernels
