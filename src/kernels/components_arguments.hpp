// What the kernels of components are called with.
#pragma once

#include "kernels/offset_reader.hpp"

namespace nz::kernels {

struct components_arguments {
    index_t vertices = 0;
    offset_reader out_offsets;
    const index_t* out_neighbours = nullptr;
    /// The edges' other direction. Not null: the edges of a component that a sample finds large may be passed over, since
    /// their other ends see them too.
    offset_reader in_offsets;
    const index_t* in_neighbours = nullptr;
    bool symmetric = false;  ///< in_* are the same as out_*
    int threads = 1;
    index_t* labels = nullptr;  ///< [vertices]: the smallest vertex of each one's component
};

/// What a GPU's kernels leave behind.
struct components_report {
    index_t largest = -1;  ///< the label whose vertices' edges were passed over; -1: none were
    index_t long_rows = 0;
    unsigned long long components = 0;
};

/// The arguments on a GPU: pointers are the device's.
struct device_components_arguments {
    components_arguments common;
    index_t* long_rows =
        nullptr;  ///< rows that a block takes: [vertices], or twice that with edges of two directions
    components_report* report = nullptr;
};

}  // namespace nz::kernels
