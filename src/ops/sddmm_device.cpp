// sddmm on a GPU: dense operands are brought where they are not and packed as planned, the result stays.
#include "ops/sddmm_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "instantiate/dense_device_cells.hpp"
#include "ops/dense.hpp"
#include "ops/dense_device.hpp"
#include "ops/select_device.hpp"
#include "storage/device_csr.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {
namespace {

using storage::csr;
using storage::dense;

const instantiate::dense_device_cell* cell_of(const context& ctx, const semiring& s, dtype operand) {
    if (!ctx.gpu() || !s.add().is_built_in()) return nullptr;
    return instantiate::find_dense_device_cell(s.add().id(), s.multiply().id(), operand);
}

/// The places, the operands and memory for the results, all there.
class sampled_there {
public:
    sampled_there(const context& ctx, const device_sample& p, const dense_plan& plan)
        : ctx_(ctx), cell_(cell_of(ctx, p.ring, p.operand_type)) {
        take_places(p);
        const auto n = static_cast<std::size_t>(k_.nnz);
        values_ = buffer(ctx.device_memory(), n * size_of(p.value_type));
        const dense x = there(p.x, p.operand_type, p.ring.ignores_a(), plan.packs_first,
                              dense_order::row_major, blocks_[0]),
                    y = there(p.y, p.operand_type, p.ring.ignores_b(), plan.packs_second,
                              dense_order::column_major, blocks_[1]);
        k_.inner = x.columns;
        k_.x = x.data;
        k_.x_row_step = x.row_step;
        k_.x_step = x.column_step;
        k_.y = y.data;
        k_.y_column_step = y.column_step;
        k_.y_step = y.row_step;
        k_.out_values = values_.data();
    }
    void run() const { cell_->row_dot(k_, ctx_.gpu()->stream()); }

    matrix result(const context& own, const device_sample& p) {
        csr shape = mask_->shape(p.value_type);
        shape.kind = value_kind::full;
        return storage::make_device_matrix(own, ctx_, shape, places_, std::move(values_));
    }

private:
    buffer uploaded(const void* data, std::size_t bytes) const {
        buffer to(ctx_.device_memory(), bytes);
        if (bytes) ctx_.gpu()->upload(to.data(), data, bytes);
        return to;
    }
    void take_places(const device_sample& p) {
        own_places_ = mask_places_for_device(ctx_, p.mask, p.structure);
        const storage::matrix_body& body = (own_places_ ? *own_places_ : p.mask).body();
        const csr& mask = body.rows_anywhere();
        mask_ = &mask;
        places_ = body.entries_on(ctx_);
        k_.rows = mask.rows;
        k_.nnz = mask.nnz;
        k_.offsets = {places_->offsets.data(), mask.offset_bytes == 8};
        k_.indices = places_->indices.as<index_t>();
    }
    dense there(const dense& d, dtype wanted, bool ignored, bool packs, dense_order order,
                buffer (&blocks)[2]) const {
        if (extent(d) == 0) return d;
        const bool resident = lies_there(ctx_, d), converts = !ignored && d.type != wanted;
        const dtype type = converts ? wanted : d.type;
        const std::size_t bytes =
            static_cast<std::size_t>(d.rows) * static_cast<std::size_t>(d.columns) * size_of(type);
        dense from = d;
        if (converts && !resident) {
            const buffer converted(ctx_.memory(), bytes);
            from = storage::packed_dense(wanted, converted.data(), d.rows, d.columns, order);
            storage::copy_dense(ctx_, d, from);
            blocks[0] = uploaded(converted.data(), bytes);
            from.data = blocks[0].data();
            return from;
        }
        if (!resident) {
            blocks[0] = uploaded(d.data, extent(d));
            from.data = blocks[0].data();
        }
        if (!packs && !converts) return from;
        blocks[1] = buffer(ctx_.device_memory(), bytes);
        const dense to = storage::packed_dense(type, blocks[1].data(), d.rows, d.columns, order);
        copy_dense_on_device(ctx_, from, to);
        return to;
    }

    const context& ctx_;
    const instantiate::dense_device_cell* cell_;
    kernels::sddmm_arguments k_;
    const csr* mask_ = nullptr;
    std::shared_ptr<const storage::device_csr> places_;
    std::optional<matrix> own_places_;  // where not all of the mask's let through
    buffer values_, blocks_[2][2];
};

}  // namespace

bool sddmm_compiled_on_device(const context& ctx, const semiring& s, dtype operand) {
    return cell_of(ctx, s, operand) != nullptr;
}

matrix sddmm_on_device(const context& ctx, const context& own, const device_sample& p,
                       const dense_plan& plan) {
    sampled_there product(ctx, p, plan);
    product.run();
    ctx.gpu()->wait();  // what the caller's memory was uploaded to is let go
    return product.result(own, p);
}

std::vector<double> sddmm_kernel_ms(const context& ctx, const device_sample& p, const dense_plan& plan,
                                    int repeats) {
    const sampled_there product(ctx, p, plan);
    std::vector<double> times;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed([&] { product.run(); });
        times.push_back(ctx.gpu()->milliseconds());
    }
    return times;
}

}  // namespace nz::ops
