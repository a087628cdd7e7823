// What products on a GPU share: operands and masks brought there, and memory for a result.
#pragma once

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/mxm_device.hpp"
#include "ops/select_device.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

/// Operands and masks as the kernels read them, brought where they are not; and memory for a result.
class device_sides {
protected:
    device_sides(const context& ctx, dtype value_type) : ctx_(ctx), value_type_(value_type) {
        k_.gpu = ctx.gpu();
    }

    void* stream() const { return ctx_.gpu()->stream(); }
    const storage::csr& place(const operand& x, bool ignores_values, dtype type, kernels::mxm_side& side,
                              offset_t& step) {
        const storage::csr& of = place_structure(x, side, step);
        if (!ignores_values) place_values(x, type, side);
        return of;
    }
    const storage::csr& place_structure(const operand& x, kernels::mxm_side& side, offset_t& step) {
        const storage::matrix_body& body = x.a.body();
        const storage::csr& of = x.transposed ? body.columns_anywhere(ctx_) : body.rows_anywhere();
        const auto entries = x.transposed ? body.columns_on(ctx_) : body.entries_on(ctx_);
        kept_.push_back(entries);
        side = {{entries->offsets.data(), of.offset_bytes == 8}, entries->indices.as<index_t>(), nullptr};
        step = of.kind == value_kind::full ? 1 : 0;
        return of;
    }
    void place_values(const operand& x, dtype type, kernels::mxm_side& side) {
        const storage::matrix_body& body = x.a.body();
        const storage::csr& of = x.transposed ? body.columns_anywhere(ctx_) : body.rows_anywhere();
        const auto values = body.values_on(ctx_, of, type);
        kept_.push_back(values);
        side.values = values->values.data();
    }
    /// What the product may write.
    void place_mask(const matrix_options& options) {
        mask_places_ = mask_places_for_device(ctx_, *options.mask, options.mask_structure);
        const storage::matrix_body& body = (mask_places_ ? *mask_places_ : *options.mask).body();
        const storage::csr& of = body.rows_anywhere();
        const auto entries = body.entries_on(ctx_);
        kept_.push_back(entries);
        k_.masked = true;
        k_.complement = options.mask_complement;
        k_.mask_offsets = {entries->offsets.data(), of.offset_bytes == 8};
        k_.mask_columns = entries->indices.as<index_t>();
        k_.mask_entries = of.nnz;
    }
    /// Room for `entries_` entries in k_.rows rows.
    void take_entries() {
        const auto n = static_cast<std::size_t>(entries_);
        const auto& memory = ctx_.device_memory();
        const int width = storage::offset_bytes_for(entries_);
        offsets_ = buffer(memory, (static_cast<std::size_t>(k_.rows) + 1) * static_cast<std::size_t>(width));
        indices_ = buffer(memory, n * sizeof(index_t) + storage::index_padding);
        values_ = buffer(memory, n * size_of(value_type_));
        ctx_.gpu()->fill(indices_.as<std::byte>() + n * sizeof(index_t), 0, storage::index_padding);
        k_.offsets = offsets_.data();
        k_.wide = width == 8;
        k_.out_columns = indices_.as<index_t>();
        k_.out_values = values_.data();
    }
    matrix taken(const context& own) {
        storage::csr shape;
        shape.rows = k_.rows;
        shape.columns = k_.columns;
        shape.nnz = entries_;
        shape.type = value_type_;
        shape.offset_bytes = k_.wide ? 8 : 4;
        return storage::make_device_matrix(own, ctx_, std::move(shape), std::move(offsets_),
                                           std::move(indices_), std::move(values_));
    }

    const context& ctx_;
    dtype value_type_;
    kernels::device_mxm_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    offset_t entries_ = 0;
    std::optional<matrix> mask_places_;  // where not all of the mask's let through
    buffer offsets_, indices_, values_;
};

}  // namespace nz::ops
