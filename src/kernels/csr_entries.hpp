// A matrix's entries as the kernels see them that call a function of any operator for each.
#pragma once

#include "kernels/offset_reader.hpp"
#include "storage/csr.hpp"

namespace nz::kernels {

struct csr_entries {
    index_t rows = 0;
    offset_reader offsets;
    const index_t* columns = nullptr;
    const void* values = nullptr;  ///< of `type`; one for all when constant, null for a pattern
    dtype type = dtype::float64;
    bool constant = false;

    csr_entries() = default;
    explicit csr_entries(const storage::csr& a)
        : rows(a.rows),
          offsets{a.offsets.data(), a.offset_bytes == 8},
          columns(a.index_data()),
          values(a.kind == value_kind::pattern ? nullptr : a.values.data()),
          type(a.type),
          constant(a.kind == value_kind::iso) {}
    /// A value for each entry.
    bool full() const { return values && !constant; }
    element value(offset_t p) const {
        return values ? storage::load(values, type, constant ? 0 : p) : storage::one_of(type);
    }
};

}  // namespace nz::kernels
