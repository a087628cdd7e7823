#include "ops/apply_places.hpp"

#include "core/device.hpp"
#include "kernels/cpu/apply/places.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/matrix_words.hpp"
#include "ops/vectors_device.hpp"
#include "storage/device_convert.hpp"
#include "storage/device_vector.hpp"
#include "storage/matrix_body.hpp"

#include <cstring>
#include <utility>

namespace nz::ops {
namespace {

using kernels::apply_places_arguments;
using storage::csr;
using storage::vector_body;

// What the operator adds up of an entry's place.
std::optional<apply_places_arguments> weights_of(const index_unary_op& op, scalar thunk) {
    apply_places_arguments k;
    k.shift = from_element<std::int64_t>(thunk.as(dtype::int64));
    switch (op.id()) {
        case index_unary_id::rowindex:
            k.row = 1;
            return k;
        case index_unary_id::colindex:
            k.column = 1;
            return k;
        case index_unary_id::diagindex:
            k.row = -1;
            k.column = 1;
            return k;
        default:
            return {};
    }
}

// Of a vector, whose entries are in column 0: its places are what the kernel has for columns.
std::optional<apply_places_arguments> vector_weights_of(const index_unary_op& op, scalar thunk) {
    auto k = weights_of(op, thunk);
    if (k) k->column = std::exchange(k->row, 0);
    return k;
}

void set_places(apply_places_arguments& k, const vector_body& shape, const buffer& indices) {
    const bool listed = shape.form == vector_form::sparse;
    k.entries = listed ? shape.count : shape.size;
    k.columns = listed ? indices.as<const index_t>() : nullptr;
}

}  // namespace

std::optional<vector> apply_places_on_device(const context& ctx, const index_unary_op& op, const vector& u,
                                             scalar thunk) {
    auto k = vector_weights_of(op, thunk);
    if (!k || !lives_there(ctx, u)) return {};
    const vector_body& b = u.body_anywhere();
    const auto on = b.home->copy_on(ctx, b);
    storage::device_vector out = storage::allocate_on_device(ctx, dtype::int64, b.size, b.form, b.count);
    ctx.gpu()->copy(out.indices.data(), on->indices.data(), out.indices.bytes());
    ctx.gpu()->copy(out.present.data(), on->present.data(), out.present.bytes());
    set_places(*k, b, on->indices);
    k->to = out.values.as<std::int64_t>();
    kernels::on_cuda().apply_places(*k, ctx.gpu()->stream());
    return storage::make_device_vector(ctx, dtype::int64, b.size, b.form, b.count, std::move(out));
}

std::optional<matrix> apply_places_on_device(const context& ctx, const context& own, const index_unary_op& op,
                                             const operand& a, scalar thunk) {
    auto k = weights_of(op, thunk);
    if (!k || !ctx.gpu() || a.a.nnz() == 0) return {};
    const storage::matrix_body& body = a.a.body();
    const csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    buffer rows, values(ctx.device_memory(), static_cast<std::size_t>(of.nnz) * sizeof(std::int64_t));
    if (k->row != 0) rows = storage::rows_of_entries(ctx, storage::rows_of(of, *entries));
    k->entries = of.nnz;
    k->columns = entries->indices.as<const index_t>();
    k->row_of = k->row ? rows.as<const index_t>() : nullptr;
    k->to = values.as<std::int64_t>();
    kernels::on_cuda().apply_places(*k, ctx.gpu()->stream());
    csr places = of.shape(dtype::int64);
    places.kind = value_kind::full;
    return storage::make_device_matrix(own, ctx, places, entries, std::move(values));
}

std::optional<vector_body> apply_places(const context& ctx, const index_unary_op& op, const vector_body& u,
                                        scalar thunk) {
    auto k = vector_weights_of(op, thunk);
    if (!k) return {};
    vector_body w = storage::make_vector_body(ctx, dtype::int64, u.size, u.form, u.count, false);
    if (w.present.bytes()) std::memcpy(w.present.data(), u.present.data(), w.present.bytes());
    if (w.indices.bytes()) std::memcpy(w.indices.data(), u.indices.data(), w.indices.bytes());
    set_places(*k, u, u.indices);
    k->threads = ctx.threads();
    k->to = w.values.as<std::int64_t>();
    kernels::cpu::apply_places(*k);
    return w;
}

std::optional<csr> apply_places(const context& ctx, const index_unary_op& op, const csr& a, scalar thunk) {
    auto k = weights_of(op, thunk);
    if (!k) return {};
    csr c = with_places_of(ctx, a, dtype::int64, value_kind::full);
    k->entries = a.nnz;
    k->columns = a.index_data();
    k->offsets = {a.offsets.data(), a.offset_bytes == 8};
    k->rows = a.rows;
    k->threads = ctx.threads();
    k->to = c.values.as<std::int64_t>();
    kernels::cpu::apply_places(*k);
    return c;
}

}  // namespace nz::ops
