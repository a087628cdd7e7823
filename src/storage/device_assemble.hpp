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

struct device_assembled {
    offset_t outside = -1;  ///< the first coordinate outside the shape; nothing else then
    offset_t nnz = 0;
    buffer offsets, indices,
        values;  ///< as in csr, `indices` padded; no values where one is all entries' and none was combined
};
/// The CSR of coordinates; repeats combined with `duplicates` in input order. Nothing where the GPU has not got that operator: it
/// has plus, times, min, max, first, second and any. At most 2^32 - 1 coordinates. Takes 8 bytes a coordinate and a value, and a fraction for counts,
/// beside the result; 24 (16 where row and column numbers fit 32 bits together) and CUB's for coordinates that are sorted as a list
/// (layout_rows says which); where there are repeats 4 and the result once more. Waits once, for what lies outside and how many
/// entries there are; again where buckets are sorted as a list.
std::optional<device_assembled> assemble_on_device(const context& gpu, const device_tuples& t,
                                                   const binary_op& duplicates);

/// Whether sum_places has this operator: those above, and of truth values the logical ones.
bool sums_places(binary_id add, dtype type);
/// Sums of values that lie place by place, those of place k from starts[k] on, one at least and `count` together, into `sums`: added in that
/// order, by one thread.
void sum_places(const context& gpu, binary_id add, dtype type, const std::uint32_t* starts, offset_t places,
                offset_t count, const void* values, void* sums);

}  // namespace nz::storage
