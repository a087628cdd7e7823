#include "core/checks.hpp"
#include "core/device.hpp"
#include "storage/dia.hpp"
#include "storage/matrix_body.hpp"

namespace nz {
namespace {

using storage::dia;

// Moves `bytes` bytes between the host and the GPU of `ctx`, from one to the other or within one.
void move(const context& ctx, void* to, bool to_device, const void* from, bool from_device,
          std::size_t bytes) {
    if (to_device && from_device)
        ctx.gpu()->copy(to, from, bytes);
    else if (to_device)
        ctx.gpu()->upload(to, from, bytes);
    else if (from_device)
        ctx.gpu()->download(to, from, bytes);
    else if (bytes)
        std::memcpy(to, from, bytes);
}

// A copy of `a` on the host or a GPU, in memory of `owner`; `mover` is the context whose GPU it touches.
dia copy_of(const dia& a, const context& owner, bool to_device, const context& mover) {
    dia out{a.rows, a.columns, storage::dia_stride(a.rows), a.type, a.offsets, a.first, a.last};
    const std::size_t width = size_of(a.type);
    const auto line = [&](const dia& m, offset_t d) {
        return m.values.as<std::byte>() + static_cast<std::size_t>(d * m.stride) * width;
    };
    out.values = buffer(to_device ? owner.device_memory() : owner.memory(),
                        static_cast<std::size_t>(out.diagonals() * out.stride) * width);
    out.on_device = to_device;
    for (offset_t d = 0; d < a.diagonals(); ++d)
        move(mover, line(out, d), to_device, line(a, d), a.on_device,
             static_cast<std::size_t>(a.rows) * width);
    if (to_device)
        mover.gpu()->wait();  // a's values may change once this returns, and pinned ones are read late
    return out;
}

dia converted(const context& ctx, const dia& a, dtype type) {
    dia out{a.rows, a.columns, a.stride, type, a.offsets, a.first, a.last};
    out.values = buffer(ctx.memory(), static_cast<std::size_t>(a.diagonals() * a.stride) * size_of(type));
    for (std::size_t d = 0; d < a.offsets.size();
         ++d) {  // where there are entries: other values may be anything
        const std::size_t at = d * static_cast<std::size_t>(a.stride) + static_cast<std::size_t>(a.first[d]),
                          n = static_cast<std::size_t>(a.last[d] - a.first[d]);
        const buffer line =
            buffer::borrow(a.values.as<std::byte>() + at * size_of(a.type), n * size_of(a.type));
        const buffer values = storage::convert_array(ctx, line, a.type, type, static_cast<offset_t>(n));
        std::memcpy(out.values.as<std::byte>() + at * size_of(type), values.data(), values.bytes());
    }
    return out;
}

dia_matrix make(const context& ctx, dia a) { return {ctx, std::make_shared<const dia>(std::move(a))}; }

// Of what lies on the host, in the memory of `ctx`.
dia_matrix placed(const context& ctx, dia on_host) {
    return make(ctx, ctx.gpu() ? copy_of(on_host, ctx, true, ctx) : std::move(on_host));
}

}  // namespace

dia_matrix::dia_matrix(const context& ctx, dtype type, offset_t rows, offset_t columns) : ctx_(ctx) {
    check_dimension(rows, "the number of rows");
    check_dimension(columns, "the number of columns");
    const auto m = static_cast<index_t>(rows);
    storage::dia empty{m, static_cast<index_t>(columns), storage::dia_stride(m), type};
    empty.on_device = ctx.gpu() != nullptr;
    body_ = std::make_shared<const storage::dia>(std::move(empty));
}

dia_matrix dia_matrix::from_arrays(const context& ctx, const raw_dia& raw, bool copy) {
    check_dimension(raw.rows, "the number of rows");
    check_dimension(raw.columns, "the number of columns");
    storage::dia given{raw.rows, raw.columns, raw.stride ? raw.stride : raw.rows, raw.type};
    given.offsets.assign(raw.offsets.begin(), raw.offsets.end());
    given.first.assign(raw.first_rows.begin(), raw.first_rows.end());
    given.last.assign(raw.last_rows.begin(), raw.last_rows.end());
    if (given.first.empty() && given.last.empty())
        for (const index_t offset : given.offsets) {
            const auto [first, last] = storage::rows_inside(raw.rows, raw.columns, offset);
            given.first.push_back(first);
            given.last.push_back(last);
        }
    given.values = buffer::borrow(raw.values, raw.value_count * size_of(raw.type));
    given.on_device = ctx.gpu() && raw.values && ctx.gpu()->holds(raw.values);
    storage::validate(given, "dia_view");
    const bool wanted_there = ctx.gpu() != nullptr;
    require<domain_error>(
        copy || given.on_device == wanted_there || given.offsets.empty(),
        "borrow_dia: the values lie in the memory of the {}, and the context works in that of the {}: use from_dia",
        given.on_device ? "GPU" : "host", wanted_there ? "GPU" : "host");
    if (given.on_device) ctx.gpu()->wait_for_caller();
    if (copy) return make(ctx, copy_of(given, ctx, wanted_there, ctx));
    given.on_device = wanted_there;
    return make(ctx, std::move(given));
}

dia_matrix dia_matrix::from_matrix(const context& ctx, const matrix& a) {
    return placed(ctx, storage::to_dia(ctx, a.body().rows()));
}

matrix dia_matrix::to_matrix(const context& ctx) const {
    if (!body_->on_device) return storage::make_matrix(ctx, storage::to_csr(ctx, *body_));
    return storage::make_matrix(ctx, storage::to_csr(ctx, copy_of(*body_, ctx, false, ctx_)));
}

dia_matrix dia_matrix::in(const context& ctx) const {
    if (body_->on_device) {
        if (ctx.gpu() == ctx_.gpu()) return *this;
        return placed(ctx,
                      copy_of(*body_, ctx, false, ctx_));  // by way of the host, also between two streams
    }
    return ctx.gpu() ? make(ctx, copy_of(*body_, ctx, true, ctx)) : *this;
}

dia_matrix dia_matrix::in(const context& ctx, dtype type) const {
    if (type == body_->type) return in(ctx);
    if (!body_->on_device) return placed(ctx, converted(ctx, *body_, type));
    return placed(ctx, converted(ctx, copy_of(*body_, ctx, false, ctx_), type));
}

offset_t dia_matrix::rows() const { return body_->rows; }
offset_t dia_matrix::columns() const { return body_->columns; }
offset_t dia_matrix::nnz() const { return body_->nnz(); }
offset_t dia_matrix::diagonals() const { return body_->diagonals(); }
dtype dia_matrix::type() const { return body_->type; }
bool dia_matrix::on_device() const { return body_->on_device; }

dia_matrix::raw_dia dia_matrix::raw_diagonals(dtype type) const {
    const storage::dia& a = *body_;
    require<domain_error>(type == a.type, "the diagonals hold {}, not {}", name_of(a.type), name_of(type));
    return {a.rows,   a.columns, a.type, a.offsets, a.values.data(), a.values.bytes() / size_of(a.type),
            a.stride, a.first,   a.last};
}

}  // namespace nz
