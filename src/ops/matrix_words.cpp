#include "ops/matrix_words.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"
#include "kernels/cuda_table.hpp"
#include "storage/device_convert.hpp"
#include "storage/device_vector.hpp"
#include "storage/matrix_body.hpp"

#include <cstring>
#include <limits>

namespace nz::ops {
namespace {

using storage::csr;
using storage::vector_body;

constexpr offset_t most_values = std::numeric_limits<index_t>::max();  // of a vector

void copy_shared_out(const context& ctx, buffer& to, const buffer& from, std::size_t bytes) {
    parallel::for_pieces(
        ctx.threads(), static_cast<offset_t>(bytes),
        [&](offset_t begin, offset_t end) {
            std::memcpy(to.as<std::byte>() + begin, from.as<const std::byte>() + begin,
                        static_cast<std::size_t>(end - begin));
        },
        64, 1 << 16);
}

}  // namespace

std::optional<vector> values_as_vector_on_device(const context& ctx, const operand& a) {
    const storage::matrix_body& body = a.a.body();
    if (!ctx.gpu() || a.a.nnz() == 0 || a.a.nnz() > most_values) return {};
    const csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto held = body.values_on(ctx, of, of.type);
    const auto n = static_cast<index_t>(of.kind == value_kind::full ? of.nnz : 1);
    storage::device_vector values;
    values.values = buffer::borrow(held->values.data(), held->values.bytes());
    values.owner = held;
    return storage::make_device_vector(ctx, of.type, n, vector_form::dense, n, std::move(values));
}

std::optional<scalar> one_value_of(const context& ctx, const matrix& a) {
    const storage::matrix_body& body = a.body();
    const csr& of = body.rows_anywhere();
    if (of.kind == value_kind::full) return {};
    if (of.kind == value_kind::pattern || !body.away()) return scalar(of.type, of.value(0));
    if (!ctx.gpu()) return scalar(of.type, body.rows().value(0));
    std::uint64_t room = 0;
    ctx.gpu()->download(&room, body.values_on(ctx, of, of.type)->values.data(), size_of(of.type));
    return scalar(of.type, storage::load(&room, of.type, 0));
}

std::optional<vector_body> values_as_vector(const context& ctx, const csr& a) {
    const bool full = a.kind == value_kind::full;
    if (full && a.nnz > most_values) return {};
    const auto n = static_cast<index_t>(full ? a.nnz : 1);
    vector_body values =
        storage::make_vector_body(ctx, a.type, full ? 0 : 1, vector_form::dense, full ? 0 : 1);
    if (full) {
        values.size = n;
        values.count = n;
        values.values = buffer::borrow(a.values.data(), a.values.bytes());
    } else {
        storage::store(values.values.data(), a.type, 0, a.value(0));
    }
    return values;
}

std::optional<matrix> apply_to_values_on_device(
    const context& ctx, const context& own, const operand& a,
    const std::function<std::optional<vector>(const vector&)>& f) {
    const auto values = values_as_vector_on_device(ctx, a);
    if (!values) return {};
    auto t = f(*values);
    if (!t) return {};
    const storage::matrix_body& body = a.a.body();
    const csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    csr places = of.shape(t->type());
    if (places.kind == value_kind::pattern) places.kind = value_kind::iso;
    return storage::make_device_matrix(own, ctx, places, entries,
                                       t->body_uncounted().home->release().first.values);
}

matrix in_type_on_device(const context& ctx, const context& own, const matrix& a, dtype type) {
    const storage::matrix_body& body = a.body();
    const csr& of = body.rows_anywhere();
    return storage::make_device_matrix(
        own, ctx, of.shape(type), body.entries_on(ctx),
        storage::converted_on_device(ctx, body.values_on(ctx, of, of.type)->values.data(), of.type, type,
                                     of.kind == value_kind::full ? of.nnz : 1));
}

matrix with_one_value_on_device(const context& ctx, const context& own, const matrix& a, scalar x) {
    csr places = a.body().rows_anywhere().shape(x.type());
    places.kind = value_kind::iso;
    buffer value(ctx.device_memory(), size_of(x.type()));
    kernels::on_cuda().vectors.fill(value.data(), x.type(), 1, x.bits(), ctx.gpu()->stream());
    return storage::make_device_matrix(own, ctx, places, a.body().entries_on(ctx), std::move(value));
}

std::optional<csr> apply_to_values(const context& ctx, const csr& a,
                                   const std::function<std::optional<vector_body>(const vector_body&)>& f) {
    const auto values = values_as_vector(ctx, a);
    auto t = values ? f(*values) : std::nullopt;
    if (!t) return {};
    csr c = with_places_of(ctx, a, t->type, value_kind::pattern);
    c.kind = a.kind == value_kind::full ? value_kind::full : value_kind::iso;
    c.values = std::move(t->values);
    return c;
}

csr pattern_of(const csr& a, dtype type) {
    csr places = a.shape(type);
    places.kind = value_kind::pattern;
    places.offsets = buffer::borrow(a.offsets.data(), a.offsets.bytes());
    places.indices = buffer::borrow(a.indices.data(), a.indices.bytes());
    return places;
}

csr with_places_of(const context& ctx, const csr& a, dtype type, value_kind kind) {
    csr c = storage::allocate_csr(ctx, type, kind, a.rows, a.columns, a.nnz);
    copy_shared_out(ctx, c.offsets, a.offsets, a.offsets.bytes());
    copy_shared_out(ctx, c.indices, a.indices, static_cast<std::size_t>(a.nnz) * sizeof(index_t));
    return c;
}

}  // namespace nz::ops
