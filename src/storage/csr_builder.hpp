// Ways to make a CSR row by row: one entry after the other, or counted first and filled by many threads.
#pragma once

#include "storage/csr.hpp"
#include "storage/growing.hpp"

namespace nz::storage {

inline void set_offset(csr& a, offset_t i, offset_t value) {
    if (a.offset_bytes == 4)
        a.offsets.as<std::int32_t>()[i] = static_cast<std::int32_t>(value);
    else
        a.offsets.as<std::int64_t>()[i] = value;
}

/// A CSR with counts[i] entries in row i: offsets filled in, columns and values left to the caller.
csr allocate_rows(const context& ctx, dtype type, index_t rows, index_t columns,
                  const array<offset_t>& counts);

/// Grows a matrix in row-major order. Plain and sequential: for reference kernels.
class csr_builder {
public:
    csr_builder(const context& ctx, dtype type, index_t rows, index_t columns)
        : ctx_(ctx),
          type_(type),
          rows_(rows),
          columns_(columns),
          counts_(ctx, static_cast<std::size_t>(rows)),
          indices_(ctx),
          values_(ctx) {
        counts_.fill(0);
    }

    /// Entries must come row by row, columns ascending.
    void add(index_t i, index_t j, element value) {
        ++counts_[static_cast<std::size_t>(i)];
        indices_.push(j);
        values_.push(value);
    }
    csr finish() &&;

private:
    context ctx_;
    dtype type_;
    index_t rows_, columns_;
    array<offset_t> counts_;
    growing<index_t> indices_;
    growing<element> values_;
};

}  // namespace nz::storage
