// Dense matrices as kernels and conversions see them: an array and two steps. Nobody owns it here.
#pragma once

#include "nonzero/context.hpp"
#include "nonzero/views.hpp"
#include "storage/csr.hpp"

namespace nz::storage {

/// Entry (i, j) is data[i * row_step + j * column_step]; one of the steps is 1.
struct dense {
    dtype type = dtype::float64;
    void* data = nullptr;
    index_t rows = 0, columns = 0;
    offset_t row_step = 0, column_step = 1;

    offset_t at(index_t i, index_t j) const { return i * row_step + j * column_step; }
    element value(index_t i, index_t j) const { return storage::load(data, type, at(i, j)); }
    void set(index_t i, index_t j, element x) const { storage::store(data, type, at(i, j), x); }
    bool row_major() const { return column_step == 1; }
    std::size_t bytes() const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * size_of(type);
    }
};

/// The view's matrix, or its transpose. `v` has been checked.
dense dense_of(const dense_input& v, bool transposed);
/// A matrix without gaps in `memory`, which has room for it.
dense packed_dense(dtype type, void* memory, index_t rows, index_t columns, dense_order order);
/// to(i,j) = from(i,j), converted. Both have one shape.
void copy_dense(const context& ctx, const dense& from, const dense& to);

}  // namespace nz::storage
