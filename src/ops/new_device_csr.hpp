// The matrix that kernels are about to write on a GPU.
#pragma once

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// Arrays of a CSR on a context's GPU that kernels fill before it is made a matrix.
class new_device_csr {
public:
    new_device_csr() = default;
    /// Room for a shape's entries: offsets, columns with zeros behind the last, and a value each or one for all, 1 of a pattern.
    new_device_csr(const context& ctx, storage::csr shape)
        : shape_(std::move(shape)),
          offsets_(ctx.device_memory(), (static_cast<std::size_t>(shape_.rows) + 1) *
                                            static_cast<std::size_t>(shape_.offset_bytes)),
          indices_(ctx.device_memory(), entries() * sizeof(index_t) + storage::index_padding),
          values_(ctx.device_memory(),
                  (shape_.kind == value_kind::full ? entries() : 1) * size_of(shape_.type)) {
        ctx.gpu()->fill(indices_.as<std::byte>() + entries() * sizeof(index_t), 0, storage::index_padding);
        if (shape_.kind == value_kind::pattern)
            kernels::on_cuda().vectors.fill(values_.data(), shape_.type, 1, storage::one_of(shape_.type),
                                            ctx.gpu()->stream());
    }

    void* offsets() const { return offsets_.data(); }
    bool wide() const { return shape_.offset_bytes == 8; }
    index_t* columns() const { return indices_.as<index_t>(); }
    void* values() const { return values_.data(); }
    std::size_t value_bytes() const { return values_.bytes(); }
    /// What kernels write values to: nothing where one is for all.
    void* each_value() const { return shape_.kind == value_kind::full ? values_.data() : nullptr; }
    /// The matrix of context `own`, whose arrays they become.
    matrix made(const context& own, const context& ctx) && {
        return storage::make_device_matrix(own, ctx, std::move(shape_), std::move(offsets_),
                                           std::move(indices_), std::move(values_));
    }

private:
    std::size_t entries() const { return static_cast<std::size_t>(shape_.nnz); }

    storage::csr shape_;
    buffer offsets_, indices_, values_;
};

}  // namespace nz::ops
