#include "storage/csr_builder.hpp"

namespace nz::storage {

csr allocate_rows(const context& ctx, dtype type, index_t rows, index_t columns,
                  const array<offset_t>& counts) {
    offset_t nnz = 0;
    for (const offset_t n : counts) nnz += n;
    csr a = allocate_csr(ctx, type, value_kind::full, rows, columns, nnz);
    offset_t running = 0;
    for (index_t i = 0; i < rows; ++i) {
        set_offset(a, i, running);
        running += counts[static_cast<std::size_t>(i)];
    }
    set_offset(a, rows, running);
    return a;
}

csr csr_builder::finish() && {
    csr a = allocate_rows(ctx_, type_, rows_, columns_, counts_);
    std::copy_n(indices_.data(), indices_.size(), a.indices.as<index_t>());
    for (std::size_t k = 0; k < values_.size(); ++k)
        store(a.values.data(), type_, static_cast<offset_t>(k), values_[k]);
    return a;
}

}  // namespace nz::storage
