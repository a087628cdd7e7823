// How a GPU cuts a CSR into slices (storage/dia_slices.hpp): count, then fill.
#pragma once

#include "kernels/offset_reader.hpp"
#include "storage/slice_diagonal.hpp"

namespace nz::kernels {

/// Pointers are the device's. The CSR's rows are sorted.
struct device_slice_build {
    offset_reader offsets;
    const index_t* indices = nullptr;
    const void* values = nullptr;
    std::size_t value_bytes = 0;  ///< 0: structure alone
    /// Values by way of shared memory: laplace3d:160 1.4 ms for 4.1, but laplace2d:4000 0.65 for 0.46 (one H200).
    bool staged = false;
    index_t rows = 0, slices = 0;
    offset_t* starts = nullptr;  ///< [slices + 1]: count writes it, scanned
    offset_t* most = nullptr;    ///< count writes it: diagonals of the slice that has most
    int pitch = 0;               ///< fill reads this in place of starts
    // fill writes these.
    storage::slice_diagonal* diagonals = nullptr;
    void* out_values = nullptr;
    void* temporary = nullptr;  ///< of scan_bytes
    std::size_t temporary_bytes = 0;
};

struct device_slice_table {
    /// Temporary bytes for a scan and a maximum of so many counts.
    std::size_t (*scan_bytes)(index_t counts) = nullptr;
    void (*count)(const device_slice_build& build, void* stream) = nullptr;
    void (*fill)(const device_slice_build& build, void* stream) = nullptr;
};

}  // namespace nz::kernels
