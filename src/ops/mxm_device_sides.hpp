// What products on a GPU share: operands and masks brought there, and memory for a result.
#pragma once

#include "ops/mxm_device.hpp"
#include "ops/new_device_csr.hpp"
#include "ops/select_device.hpp"

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
        out_ = new_device_csr(
            ctx_, storage::csr_shape(value_type_, value_kind::full, k_.rows, k_.columns, entries_));
        k_.offsets = out_.offsets();
        k_.wide = out_.wide();
        k_.out_columns = out_.columns();
        k_.out_values = out_.values();
    }
    matrix taken(const context& own) { return std::move(out_).made(own, ctx_); }

    const context& ctx_;
    dtype value_type_;
    kernels::device_mxm_arguments k_;
    std::vector<std::shared_ptr<const void>> kept_;  // what the arguments point into
    offset_t entries_ = 0;
    std::optional<matrix> mask_places_;  // where not all of the mask's let through
    new_device_csr out_;
};

}  // namespace nz::ops
