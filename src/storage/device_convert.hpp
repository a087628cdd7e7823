// Checks and conversions of a CSR that is in a GPU's memory, done there: a build without CUDA has none of them. All are
// ordered on the context's stream; those that tell how much they found wait for it.
#pragma once

#include "core/bits.hpp"
#include "storage/device_csr.hpp"

#include <vector>

namespace nz::storage {

/// The structure of a CSR in a GPU's memory, as kernels see it.
struct device_rows {
    index_t rows = 0, columns = 0;
    offset_t nnz = 0;
    const void* offsets = nullptr;
    bool wide = false;  ///< 64-bit offsets
    const index_t* indices = nullptr;
};
inline device_rows rows_of(const csr& shape, const device_csr& content) {
    return {shape.rows,
            shape.columns,
            shape.nnz,
            content.offsets.data(),
            shape.offset_bytes == 8,
            content.indices.as<const index_t>()};
}

/// Whether offsets ascend from 0 to nnz and columns lie in range, and whether columns ascend in every row.
struct device_check {
    bool valid = false, sorted = false;
};
device_check check_on_device(const context& gpu, const device_rows& a);
/// 64-bit offsets as 32-bit ones; they fit.
buffer narrowed_on_device(const context& gpu, const std::int64_t* offsets, std::size_t count);
/// Values as cast() has them in another type; `present`: a bit a value, of which the others are not read: there is nothing in
/// their places, or false.
buffer converted_on_device(const context& gpu, const void* values, dtype from, dtype to, offset_t count,
                           const bits::word* present = nullptr);
/// One bit a row in words of 32: it holds no entry.
buffer empty_rows_on_device(const context& gpu, const device_rows& a);
/// How the entries are shared out evenly. `source` is what they belong to.
device_balance balance_on_device(const context& gpu, const csr& source, const device_rows& a);
/// The row of each entry.
buffer rows_of_entries(const context& gpu, const device_rows& a);
/// Entries in the longest row.
offset_t longest_row_on_device(const context& gpu, const device_rows& a);
/// What sample_rows looks at.
std::vector<sampled_row> sample_on_device(const context& gpu, const device_rows& a);

/// Arrays of a transpose: rows + 1 offsets of the source's width, ascending row numbers (padded), values.
struct device_transpose {
    buffer offsets, indices, values;
    bool mirrored = false;  ///< values came from mirrored places
};
/// A^T: entries dealt to buckets of columns and then to columns, stably; without values where `value_bytes` is 0. At most
/// 2^32 - 1 entries; takes 4 bytes and a value an entry beside its result, and counts of tiles by bucket: 1 to 4 bytes an
/// entry where there are 10^7 or more. 4 M entries and more that reach over the columns are dealt twice and then sorted by column, with 8
/// bytes and a value an entry and 1 to 2 for counts; whether they do, the host waits for. As many that do not, of a square matrix with (j,i) wherever
/// (i,j) is, need nothing beside. More than 2^24 columns are sorted, with 20 bytes an entry. Columns ascend
/// in rows, without repeats where the matrix is square.
device_transpose transpose_on_device(const context& gpu, const device_rows& a, const void* values,
                                     std::size_t value_bytes);

}  // namespace nz::storage
