#include "ops/select_device.hpp"

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/masks.hpp"
#include "ops/matrix_words.hpp"
#include "ops/new_device_csr.hpp"
#include "plan/select.hpp"

namespace nz::ops {
namespace {

using storage::csr;

class device_select {
public:
    device_select(const context& ctx, const operand& a, bool with_values)
        : ctx_(ctx),
          body_(a.a.body()),
          of_(a.transposed ? body_.columns_anywhere(ctx) : body_.rows_anywhere()),
          entries_(a.transposed ? body_.columns_on(ctx) : body_.entries_on(ctx)),
          values_(with_values ? body_.values_on(ctx, of_, of_.type) : nullptr),
          workspace_(ctx.device_memory(), plan::select_workspace(of_.nnz)),
          temporary_(ctx.device_memory(), kernels::on_cuda().select.scan_bytes(of_.nnz)) {
        k_.rows = of_.rows;
        k_.entries = of_.nnz;
        k_.offsets = {entries_->offsets.data(), of_.offset_bytes == 8};
        k_.columns = entries_->indices.as<index_t>();
        k_.values = values_ ? values_->values.data() : nullptr;
        k_.type = of_.type;
        k_.workspace = workspace_.data();
        k_.temporary = temporary_.data();
        k_.scan_bytes = temporary_.bytes();
    }
    void compare(const index_unary_op& op, scalar thunk) {
        k_.op = op.id();
        k_.thunk = thunk.as(op.input_type(of_.type));
    }
    /// Columns go to their places, of which there are so many; -1: to none.
    void place(const index_t* place_of, index_t columns) {
        k_.place_of = place_of;
        columns_ = columns;
    }
    /// The region of rows and columns with a bit, which are all where there are none.
    void restrict(const bits::word* rows, const bits::word* columns, bool within) {
        k_.row_words = rows;
        k_.column_words = columns;
        k_.within = within;
    }
    /// The number of entries that are kept; waits for it.
    offset_t count(void (*by)(const kernels::device_select_arguments&, void*)) {
        by(k_, ctx_.gpu()->stream());
        ctx_.gpu()->download(
            &kept_, plan::select_parts(k_.workspace, k_.entries).starts + plan::select_tiles(k_.entries),
            sizeof kept_);
        return kept_;
    }
    matrix fill(const context& own, value_kind kind) {
        new_device_csr out(ctx_, storage::csr_shape(of_.type, kind, of_.rows, columns_, kept_));
        if (kind == value_kind::iso)
            ctx_.gpu()->copy(out.values(), values_->values.data(), out.value_bytes());
        k_.out_offsets = out.offsets();
        k_.wide = out.wide();
        k_.out_columns = out.columns();
        k_.out_values = out.each_value();
        kernels::on_cuda().select.fill(k_, ctx_.gpu()->stream());
        return std::move(out).made(own, ctx_);
    }

private:
    const context& ctx_;
    const storage::matrix_body& body_;
    const csr& of_;
    index_t columns_ = of_.columns;
    std::shared_ptr<const storage::device_csr> entries_;
    std::shared_ptr<const storage::device_values> values_;
    buffer workspace_, temporary_;
    kernels::device_select_arguments k_;
    offset_t kept_ = 0;
};

}  // namespace

std::optional<matrix> select_on_device(const context& ctx, const context& own, const index_unary_op& op,
                                       scalar thunk, const operand& a) {
    const value_kind kind = a.a.body().rows_anywhere().kind;
    if (!ctx.gpu() || a.rows() == 0 || op.id() > index_unary_id::valuege ||
        (kind != value_kind::full && op.by_value()))
        return {};
    device_select work(ctx, a, kind != value_kind::pattern);
    work.compare(op, thunk);
    work.count(kernels::on_cuda().select.rows_count);
    return work.fill(own, kind);
}

matrix rising_on_device(const context& ctx, const matrix& a) {
    device_select work(ctx, {a}, false);
    work.count(kernels::on_cuda().select.rising_count);
    return work.fill(ctx, value_kind::pattern);
}

matrix columns_placed_on_device(const context& ctx, const context& own, const operand& a,
                                const index_t* place_of, index_t columns) {
    const value_kind kind = a.a.body().rows_anywhere().kind;
    device_select work(ctx, a, kind != value_kind::pattern);
    work.place(place_of, columns);
    work.count(kernels::on_cuda().select.columns_count);
    return work.fill(own, kind);
}

matrix region_on_device(const context& ctx, const context& own, const matrix& a, const bits::word* rows,
                        const bits::word* columns, bool within, bool places_alone) {
    const value_kind kind = places_alone ? value_kind::pattern : a.body().rows_anywhere().kind;
    device_select work(ctx, {a}, kind != value_kind::pattern);
    work.restrict(rows, columns, within);
    work.count(kernels::on_cuda().select.region_count);
    return work.fill(own, kind);
}

std::optional<matrix> mask_places_for_device(const context& ctx, const matrix& mask, bool structure) {
    const storage::matrix_body& body = mask.body();
    const csr& of = body.rows_anywhere();
    if (structure || of.kind == value_kind::pattern || of.nnz == 0) return {};
    if (of.kind == value_kind::iso) {
        if (one_value_of(ctx, mask)->get<bool>()) return {};
        return matrix(ctx, dtype::boolean, of.rows, of.columns);
    }
    if (body.bytes_to_place(ctx, of, of.type) > 0) {
        auto places = mask_places(ctx, body.rows(), false);
        return places ? std::optional(storage::make_matrix(ctx, std::move(*places))) : std::nullopt;
    }
    device_select work(ctx, {mask}, true);
    work.compare(index_unary_id::valuene, scalar(false));
    if (work.count(kernels::on_cuda().select.rows_count) == of.nnz) return {};
    return work.fill(ctx, value_kind::pattern);
}

}  // namespace nz::ops
