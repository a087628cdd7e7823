// A matrix by slices of rows that are equally long (sliced ELLPACK, SELL-32-65536 of the field, without its padding): rows of varying lengths
// cost a loop a mispredicted branch each, and 32 sums side by side wait for 32 gathers at once.
#pragma once

#include "storage/csr.hpp"
#include "storage/slice_diagonal.hpp"

#include <optional>

namespace nz::storage {

/// Of each window of 65,536 rows, the rows of one length by 32, ascending, as slices, shorter rows first; rows that are left of a length stand whole
/// behind all slices, ascending. A row's entries keep their order. Rows without entries are in neither. On the host.
struct ell_slices {
    const csr* source;  ///< what it holds
    std::shared_ptr<memory_resource> memory;
    bool ranked;                ///< places are those of `columns`, not columns
    std::optional<dtype> type;  ///< of the values; none: structure alone
    index_t slices = 0, whole = 0;
    buffer
        starts;  ///< offset_t[slices + 1]: entries before those of each slice, which are as many for each of its rows
    buffer rows;          ///< index_t[32 slices + whole]: of each slice, then those that stand whole
    buffer whole_starts;  ///< offset_t[whole + 1]: entries before those of each row that stands whole
    buffer present;       ///< bits of the rows that have entries
    buffer
        places;  ///< index_t[nnz]: column, or place in `columns`: entry l of a slice's row r at 32 l + r behind its start
    buffer values;     ///< likewise where the source has a value for each entry; else one or none
    buffer columns;    ///< index_t[columns] where ranked: the order of storage/ranked_columns.hpp
    index_t held = 0;  ///< columns with entries, which come first there

    std::size_t bytes() const {
        return starts.bytes() + rows.bytes() + whole_starts.bytes() + present.bytes() + places.bytes() +
               values.bytes() + columns.bytes();
    }
};

/// O(nnz + rows), in parallel. Values converted to `type`, or left out. Rows need not be sorted.
ell_slices make_ell_slices(const context& ctx, const csr& a, bool ranked, std::optional<dtype> type);
/// The matrix again, structure and values, for tests. On the host.
csr to_csr(const context& ctx, const ell_slices& t);
/// Throws invalid_format, naming the first rule broken and where.
void validate(const ell_slices& t, const char* what);

/// Share of the entries that would stand in slices. O(rows).
double share_in_ell_slices(const context& ctx, const csr& a);

}  // namespace nz::storage
