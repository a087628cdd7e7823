#include "ops/mxd_other.hpp"

#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "ops/composed.hpp"
#include "ops/dense_device.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/mxd_device.hpp"
#include "ops/mxv_product.hpp"
#include "plan/mxd_workspace.hpp"
#include "storage/vector_body.hpp"

#include <algorithm>

namespace nz::ops {
namespace {

using storage::dense;

dense_output output_of(const dense& d) {
    return dispatch(d.type, [&]<class T>(std::type_identity<T>) -> dense_output {
        const std::span<T> values(static_cast<T*>(d.data),
                                  static_cast<std::size_t>(d.rows) * static_cast<std::size_t>(d.columns));
        return dense_view<T>{d.rows, d.columns, values};
    });
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
    const auto is_compiled = [&](const semiring& o) { return dense_cell_of(o, a.type(), b.type); };
    if (options.kernel == "reference" || is_compiled(s)) return {};
    const auto other = algebra::stand_in(s, a.type(), b.type, is_compiled);
    if (!other) return {};
    dense_options plain = options;
    plain.kernel = {};
    const mxd_product p = make_mxd_product(ctx, c, s, a, b, plain);
    const dtype wide = other->value_type(a.type(), b.type);
    const auto room_for = [&](dtype type) {
        return buffer(p.c_on_device ? ctx.device_memory() : ctx.memory(),
                      plan::dense_copy(p.c.rows, p.c.columns, size_of(type)));
    };
    const auto copy = [&](const dense& from, const dense& to) {
        p.c_on_device ? copy_dense_on_device(ctx, from, to) : storage::copy_dense(ctx, from, to);
    };
    const auto multiply = [&] {
        const buffer sums = room_for(wide);
        const dense t = by_rows(wide, sums, p.c);
        dense_options own = options;
        own.accum.reset();
        dense_plan plan = mxd(ctx, output_of(t), *other, a, b, own);
        plan.workspace_bytes += sums.bytes();
        plan.stages_result = true;
        if (!options.accum && p.c.type == p.value_type) {
            copy(t, p.c);
            if (p.c_on_device) ctx.gpu()->wait();
            return plan;
        }
        const buffer narrow = room_for(p.value_type);
        const dense as_value = by_rows(p.value_type, narrow, p.c);
        copy(t, as_value);
        plan.workspace_bytes += narrow.bytes();
        p.c_on_device ? write_back_dense_from_device(p, as_value) : write_back_dense(p, as_value);
        return plan;
    };
    return options.kernel.empty() ? if_it_fits<dense_plan>(multiply) : multiply();
}

bool has_columns(const semiring& s, dtype a, dtype b) {
    const auto is_compiled = [&](const semiring& o) { return mxv_cell_of(o, a, b) != nullptr; };
    if (!s.add().is_built_in() || s.multiply().positional() || s.multiply().id() == binary_id::user)
        return false;
    return is_compiled(s) || algebra::stand_in(s, a, b, is_compiled) || composed_multiply_of(s, a, b);
}

bool mxd_by_columns(const mxd_product& p, void* packed, const dense& t) {
    const bool alike = p.ring.ignores_b();
    const element nothing = p.ring.add().identity(p.value_type);
    const std::size_t column = static_cast<std::size_t>(p.b.rows) * size_of(p.b.type);
    // The CPU's, and silent: one call is one line of the log.
    const context ctx({.backend = backend::cpu,
                       .threads = p.ctx.threads(),
                       .memory_limit = p.ctx.memory_limit(),
                       .memory = p.ctx.memory()});
    dense b = p.b;
    if (packed) {
        b = storage::packed_dense(b.type, packed, b.rows, b.columns, dense_order::column_major);
        storage::copy_dense(ctx, p.b, b);
    }
    const auto column_of_b = [&](index_t j) {
        buffer values;
        if (alike) {  // any
            values = buffer(ctx.memory(), column);
            std::fill_n(values.as<std::byte>(), column, std::byte{0});
        } else {
            values = buffer::borrow(static_cast<const std::byte*>(b.data) +
                                        static_cast<std::size_t>(b.at(0, j)) * size_of(b.type),
                                    column);
        }
        storage::vector_body u{ctx, b.rows, b.type, vector_form::dense, b.rows, std::move(values), {}, {}};
        return storage::make_vector(std::move(u));
    };
    const auto done = if_it_fits<bool>([&] {
        for (index_t j = 0; j < (alike ? 1 : t.columns); ++j) {
            vector w(ctx, p.value_type, t.rows);
            mxv(ctx, w, p.ring, p.left.a, column_of_b(j),
                {.transpose_a = p.left.transposed, .determinism = p.options.determinism});
            take_column(w.body(), nothing, t, j);
        }
        return true;
    });
    const std::size_t bytes = static_cast<std::size_t>(t.rows) * size_of(t.type);
    auto* const first = static_cast<std::byte*>(t.data);
    for (index_t j = 1; done && alike && j < t.columns; ++j)
        std::copy_n(first, bytes, first + static_cast<std::size_t>(j) * bytes);
    return done.has_value();
}

}  // namespace nz::ops
