// A matrix by the diagonals of 32 rows at a time: rows beside each other often have entries at the same distances from the
// diagonal (meshes in their natural order, bands, dense blocks), so that one number stands for the columns of up to 32.
#pragma once

#include "storage/csr.hpp"
#include "storage/slice_diagonal.hpp"

#include <optional>

namespace nz::storage {

/// Slice s holds rows [32 s, 32 s + 32): their diagonals, ascending; a column that a row repeats comes in one more. Only what is
/// an entry of the matrix is one here: a place of a diagonal that no row fills holds 0 and no bit. Where slices have about as many, few,
/// each has as many (pitch): behind its diagonals come empty ones, 0 in every part. On the host or on a GPU.
struct dia_slices {
    const csr* source;  ///< what it holds
    std::shared_ptr<memory_resource> memory;
    offset_t count = 0;         ///< diagonals of all slices, empty ones among them
    std::optional<dtype> type;  ///< of the values; none: structure alone
    int pitch = 0;              ///< diagonals of every slice; 0: as starts say
    /// offset_t[slices + 1]: diagonals before those of each slice; none where there is a pitch.
    buffer starts;
    buffer diagonals;       ///< slice_diagonal[count]
    buffer values;          ///< [count][32] where the source has one for each entry, else one or none
    double kernel_ms = -1;  ///< that a GPU took to make them

    index_t slices() const { return slices_of(source->rows); }
    static constexpr index_t slices_of(index_t rows) {
        return static_cast<index_t>((offset_t{rows} + slice_rows - 1) / slice_rows);
    }
    offset_t begin(index_t slice) const {
        return pitch ? offset_t{slice} * pitch : starts.as<offset_t>()[slice];
    }
    /// Lets go of starts and counts empty diagonals in, if there is to be a pitch; `most`: diagonals of the slice that has most.
    void settle_pitch(offset_t most);
    std::size_t bytes() const { return starts.bytes() + diagonals.bytes() + values.bytes(); }
};

/// O(nnz), in parallel. `a` has sorted rows; values converted to `type`, or left out.
dia_slices make_dia_slices(const context& ctx, const csr& a, std::optional<dtype> type);
/// The matrix again, structure and values, for tests. On the host.
csr to_csr(const context& ctx, const dia_slices& t);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const dia_slices& t, const char* what);

/// Diagonals for each entry, by 128 slices evenly spread, the first and the last among them: 1/32 where all rows of a slice have all of its diagonals, 1 where no
/// two have one in common. A slice is given up, and counted as it is by then, beyond one for each two of its entries.
double sample_slices(const csr& a);

}  // namespace nz::storage
