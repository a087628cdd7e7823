// From coordinates in a GPU's memory to a sorted CSR there: what GrB_build ends in for arrays that a GPU has.
#pragma once

#include "storage/csr.hpp"

#include <optional>

namespace nz::storage {

/// Coordinates in input order; `values` has one of `type` for each, or one for all.
struct device_tuples {
    index_t rows = 0, columns = 0;
    offset_t count = 0;
    const index_t *row_indices = nullptr, *column_indices = nullptr;
    const void* values = nullptr;
    dtype type = dtype::float64;
    bool one_value = false;
};

/// The first coordinate outside the shape, or -1. Waits for it.
offset_t first_outside_on_device(const context& gpu, const device_tuples& t);

struct device_assembled {
    offset_t nnz = 0;
    buffer offsets, indices, values;  ///< as in csr, `indices` padded; a value an entry
};
/// The CSR of coordinates that lie inside; repeats combined with `duplicates` in input order. Nothing where the GPU has not got
/// that operator: it has plus, times, min, max, first, second and any. At most 2^32 - 1 coordinates. Takes 24 bytes a coordinate
/// (16 where row and column numbers fit 32 bits together) and CUB's, beside the result; 4 more where there are repeats. Waits for
/// how many entries there are.
std::optional<device_assembled> assemble_on_device(const context& gpu, const device_tuples& t,
                                                   const binary_op& duplicates);

}  // namespace nz::storage
