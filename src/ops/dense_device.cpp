#include "ops/dense_device.hpp"

#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "storage/device_convert.hpp"

namespace nz::ops {
namespace {

using storage::dense;

bool has_gaps(const dense& d) { return d.row_major() ? d.row_step != d.columns : d.column_step != d.rows; }

// Of one type.
void turn(const context& ctx, const dense& from, const dense& to) {
    kernels::on_cuda().copy_dense({from.rows, from.columns, static_cast<int>(size_of(from.type)), from.data,
                                   from.row_step, from.column_step, to.data, to.row_step, to.column_step},
                                  ctx.gpu()->stream());
}

// Values one behind another, in `copy` where they are not.
dense closed_up(const context& ctx, const dense& d, buffer& copy) {
    if (!has_gaps(d)) return d;
    copy = buffer(ctx.device_memory(), d.bytes());
    const dense to = without_gaps(d.type, copy.data(), d);
    turn(ctx, d, to);
    return to;
}

}  // namespace

dense without_gaps(dtype type, void* memory, const dense& shape) {
    return storage::packed_dense(type, memory, shape.rows, shape.columns,
                                 shape.row_major() ? dense_order::row_major : dense_order::column_major);
}

bool lies_there(const context& ctx, const dense& d) {
    return ctx.gpu() && d.data && ctx.gpu()->holds(d.data);
}

void copy_dense_on_device(const context& ctx, const dense& from, const dense& to) {
    if (from.type == to.type) return turn(ctx, from, to);
    buffer copy;
    const dense values = closed_up(ctx, from, copy);
    const buffer converted = storage::converted_on_device(ctx, values.data, from.type, to.type,
                                                          offset_t{values.rows} * values.columns);
    turn(ctx, without_gaps(to.type, converted.data(), values), to);
}

dense_at_home::dense_at_home(const context& ctx, const dense& d, bool content)
    : ctx_(ctx), there_(d), here_(d) {
    if (!lies_there(ctx, d)) return;
    copy_ = buffer(ctx.memory(), d.bytes());
    here_ = without_gaps(d.type, copy_.data(), d);
    if (!content) return;
    buffer closed;
    ctx.gpu()->download(copy_.data(), closed_up(ctx, d, closed).data, copy_.bytes());
}

void dense_at_home::send_back() const {
    if (!copy_.data()) return;
    device::session& gpu = *ctx_.gpu();
    if (!has_gaps(there_)) {
        gpu.upload(there_.data, copy_.data(), copy_.bytes());
        return gpu.wait();
    }
    const buffer lines(ctx_.device_memory(), copy_.bytes());
    gpu.upload(lines.data(), copy_.data(), copy_.bytes());
    turn(ctx_, without_gaps(there_.type, lines.data(), there_), there_);
    gpu.wait();
}

}  // namespace nz::ops
