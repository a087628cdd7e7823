// A CSR's copy in a GPU's memory.
#pragma once

#include "storage/csr.hpp"

namespace nz::storage {

struct device_csr {
    const csr* source;  ///< what it is a copy of
    std::shared_ptr<memory_resource> memory;
    /// As in csr; indices are padded so that aligned groups of eight may be read past the last, values are truth
    /// values and only there when asked for.
    buffer offsets, indices;
    buffer empty_rows;  ///< bitmap of 32-bit words
};

/// Copies offsets and indices, and marks the empty rows. Ordered on the context's stream.
device_csr copy_to_device(const context& gpu, const csr& a);

}  // namespace nz::storage
