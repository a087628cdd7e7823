// Single entries that were set or removed, and how a CSR takes them in.
#pragma once

#include "storage/csr.hpp"

#include <vector>

namespace nz::storage {

struct pending_change {
    index_t row, column;
    element value;
    bool removed;
};

/// Bytes of the CSR that merge_changes makes, at most.
std::size_t merged_bytes(const csr& of, std::size_t changes);

/// `a`, whose rows are sorted, with the changes in; the last change of a place wins. Full values. What lies between changes is copied,
/// shared out over the context's threads; a change is looked up in its row.
csr merge_changes(const context& ctx, const csr& a, std::vector<pending_change> changes);

/// The changes written where their entries lie; false, and nothing is, where one removes an entry or has none, or where they are so many that
/// looking each up costs as much as the merge. `a` has full values and sorted rows.
bool set_in_place(const csr& a, const std::vector<pending_change>& changes);

}  // namespace nz::storage
