#include "ops/mxd_other.hpp"

#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/mxv_product.hpp"
#include "plan/mxd_workspace.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using storage::dense;

bool is_dense_cell(const semiring& s, dtype a, dtype b) {
    if (!s.add().is_built_in() || s.converts_twice(a, b)) return false;
    const auto* cell = instantiate::find_dense_cell(s.add().id(), s.multiply().id(), s.operand_type(a, b));
    return cell && cell->value == s.value_type(a, b);
}

dense_output output_of(const dense& d) {
    return dispatch(d.type, [&]<class T>(std::type_identity<T>) -> dense_output {
        const std::span<T> values(static_cast<T*>(d.data),
                                  static_cast<std::size_t>(d.rows) * static_cast<std::size_t>(d.columns));
        return dense_view<T>{d.rows, d.columns, values};
    });
}

buffer room_for(const context& ctx, dtype type, const dense& shape) {
    return buffer(ctx.memory(), plan::dense_copy(shape.rows, shape.columns, size_of(type)));
}
dense by_rows(dtype type, const buffer& memory, const dense& shape) {
    return storage::packed_dense(type, memory.data(), shape.rows, shape.columns, dense_order::row_major);
}

// Column j of T, by columns and without gaps: the entries of w, `nothing` where it has none.
void take_column(const storage::vector_body& w, element nothing, const dense& t, index_t j) {
    const std::size_t each = size_of(t.type), bytes = static_cast<std::size_t>(t.rows) * each;
    auto* const column = static_cast<std::byte*>(t.data) + static_cast<std::size_t>(j) * bytes;
    if (w.form == vector_form::dense) {
        std::copy_n(w.values.as<const std::byte>(), bytes, column);
        return;
    }
    storage::by_width(each, [&]<class U>(std::type_identity<U>) {
        U* const to = reinterpret_cast<U*>(column);
        const U* const from = w.values.as<const U>();
        std::fill_n(to, t.rows, static_cast<U>(nothing.bits));
        storage::for_each_entry(w, [&](index_t i, offset_t k) { to[i] = from[k]; });
    });
}

}  // namespace

std::optional<dense_plan> mxd_by_stand_in(const context& ctx, const dense_output& c, const semiring& s,
                                          const matrix& a, const dense_input& b,
                                          const dense_options& options) {
    if (options.kernel == "reference" || is_dense_cell(s, a.type(), b.type)) return {};
    const auto other = algebra::stand_in(
        s, a.type(), b.type, [&](const semiring& o) { return is_dense_cell(o, a.type(), b.type); });
    if (!other) return {};
    const auto there = [&](const void* data) { return ctx.gpu() && data && ctx.gpu()->holds(data); };
    if (there(b.data) || there(c.data)) return {};
    dense_options plain = options;
    plain.kernel = {};
    const mxd_product p = make_mxd_product(ctx, c, s, a, b, plain);
    const dtype wide = other->value_type(a.type(), b.type);
    return if_it_fits<dense_plan>([&] {
        const buffer sums = room_for(ctx, wide, p.c);
        const dense t = by_rows(wide, sums, p.c);
        dense_options own = options;
        own.accum.reset();
        dense_plan plan = mxd(ctx, output_of(t), *other, a, b, own);
        plan.workspace_bytes += sums.bytes();
        plan.stages_result = true;
        if (!options.accum && p.c.type == p.value_type) {
            storage::copy_dense(ctx, t, p.c);
            return plan;
        }
        const buffer narrow = room_for(ctx, p.value_type, p.c);
        const dense as_value = by_rows(p.value_type, narrow, p.c);
        storage::copy_dense(ctx, t, as_value);
        plan.workspace_bytes += narrow.bytes();
        write_back_dense(p, as_value);
        return plan;
    });
}

bool columns_are_compiled(const semiring& s, dtype a, dtype b) {
    const auto is_compiled = [&](const semiring& o) { return mxv_cell_of(o, a, b) != nullptr; };
    if (!s.add().is_built_in() || s.multiply().positional() || s.multiply().id() == binary_id::user)
        return false;
    return is_compiled(s) || algebra::stand_in(s, a, b, is_compiled);
}

bool mxd_by_columns(const mxd_product& p, const dense& t) {
    const context& ctx = p.ctx;
    const bool alike = p.ring.ignores_b();
    const element nothing = p.ring.add().identity(p.value_type);
    const std::size_t value = size_of(p.b.type), column = static_cast<std::size_t>(p.b.rows) * value;
    const auto done = if_it_fits<bool>([&] {
        dense b = p.b;
        buffer packed;
        if (!alike && b.row_step != 1) {
            packed = room_for(ctx, b.type, b);
            b = storage::packed_dense(b.type, packed.data(), b.rows, b.columns, dense_order::column_major);
            storage::copy_dense(ctx, p.b, b);
        }
        for (index_t j = 0; j < t.columns; ++j) {
            if (j > 0 && alike) {
                const std::size_t bytes = static_cast<std::size_t>(t.rows) * size_of(t.type);
                auto* const first = static_cast<std::byte*>(t.data);
                std::copy_n(first, bytes, first + static_cast<std::size_t>(j) * bytes);
                continue;
            }
            storage::vector_body u =
                storage::make_vector_body(ctx, b.type, b.rows, vector_form::dense, b.rows, false);
            if (alike)
                std::fill_n(u.values.as<std::byte>(), column, std::byte{0});
            else
                std::copy_n(
                    static_cast<const std::byte*>(b.data) + static_cast<std::size_t>(b.at(0, j)) * value,
                    column, u.values.as<std::byte>());
            vector w(ctx, p.value_type, t.rows);
            mxv(ctx, w, p.ring, p.left.a, storage::make_vector(std::move(u)),
                {.transpose_a = p.left.transposed, .determinism = p.options.determinism});
            take_column(w.body(), nothing, t, j);
        }
        return true;
    });
    return done.has_value();
}

}  // namespace nz::ops
