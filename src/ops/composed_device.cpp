// On a GPU: the operands of all products are gathered into two arrays, multiplied by ewise/words and summed by reduce/rows, as on the
// CPU but for the blocks. A product with a vector has an entry of A for each; where u has gaps, of its columns that u names. A product of
// matrices has them listed by the places of their sums (storage::list_products).
#include "algebra/bound.hpp"
#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/composed.hpp"
#include "ops/extract_rows.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/reduce_device.hpp"
#include "ops/vectors_device.hpp"
#include "storage/device_products.hpp"

#include <limits>

namespace nz::ops {
namespace {

// The operators there, and the types that values go through.
struct composed_on_device {
    compiled_on_device multiply;
    dtype operand, value,
        sums;  // both operands', a product's, and what the monoid takes, which is exact for it
};

std::optional<composed_on_device> compose(const context& ctx, const semiring& s, dtype a, dtype b) {
    if (!ctx.gpu() || !s.add().is_built_in() || s.multiply().positional()) return {};
    const algebra::bound_semiring defined(s, a, b);
    composed_on_device c;
    c.operand = s.operand_type(a, b);
    c.multiply = find_compiled_on_device(s.multiply(), c.operand);
    c.value = defined.type();
    c.sums = algebra::wider_type(s.add().id(), c.value).value_or(c.value);
    if (!c.multiply.kernel || !sums_rows_on_device(s.add(), c.sums)) return {};
    return c;
}

// An operand: a value a product, or one for all.
struct side {
    buffer own;
    const void* values = nullptr;
    offset_t step = 1;
};

void convert(const context& ctx, side& x, dtype from, dtype to, offset_t count) {
    if (!x.values || from == to) return;
    x.own = storage::converted_on_device(ctx, x.values, from, to, x.step ? count : 1);
    x.values = x.own.data();
}

// All products, in the type that they are summed in.
buffer multiply(const context& ctx, const composed_on_device& c, side x, dtype x_type, side y, dtype y_type,
                offset_t count) {
    for (auto [of, type] : {std::pair{&x, x_type}, std::pair{&y, y_type}}) {
        convert(ctx, *of, type, c.operand, count);
        convert(ctx, *of, c.operand, c.multiply.operands, count);
    }
    const buffer nothing(ctx.device_memory(), sizeof(element));
    side z{buffer(ctx.device_memory(), static_cast<std::size_t>(count) * size_of(c.multiply.result)), nullptr,
           1};
    z.values = z.own.data();
    kernels::words_arguments k;
    // Of an operand that is ignored one value stands for all; where that is all there are, the kernel takes it once for each.
    k.a = {x.values ? x.values : nothing.data(), nullptr, x.values ? x.step : 0};
    k.b = {y.values ? y.values : nothing.data(), nullptr, y.values ? y.step : 0};
    k.size = count;
    k.values = z.own.data();
    c.multiply.kernel(k, ctx.gpu()->stream());
    convert(ctx, z, c.multiply.result, c.multiply.type, count);
    convert(ctx, z, c.multiply.type, c.value, count);
    convert(ctx, z, c.value, c.sums, count);
    return std::move(z.own);
}

// A's values as they are stored.
side values_of(const context& ctx, const operand& a, std::vector<std::shared_ptr<const void>>& kept) {
    const storage::matrix_body& body = a.a.body();
    const storage::csr& of = a.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere();
    const auto held = body.values_on(ctx, of, of.type);
    kept.push_back(held);
    return {{}, held->values.data(), of.kind == value_kind::full ? 1 : 0};
}

// t = A u for a u without gaps.
vector product_with(const mxv_product& p, const composed_on_device& c, const operand& a, const vector& u) {
    const context& ctx = p.ctx;
    const storage::matrix_body& body = a.a.body();
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    const offset_t count = a.a.nnz();
    std::vector<std::shared_ptr<const void>> kept;
    side x, y;
    if (!p.ring.ignores_a()) x = values_of(ctx, a, kept);
    if (!p.ring.ignores_b()) {
        const storage::vector_body& b = u.body_anywhere();
        const auto on = b.home->copy_on(ctx, b);
        y.own = buffer(ctx.device_memory(), static_cast<std::size_t>(count) * size_of(b.type));
        y.values = y.own.data();
        kernels::places_arguments k;
        k.size = static_cast<index_t>(count);
        k.sources = entries->indices.as<index_t>();
        k.from = {on->values.data(), nullptr, 1};
        k.value_bytes = size_of(b.type);
        k.values = y.own.data();
        kernels::on_cuda().places.extract(k, ctx.gpu()->stream());
    }
    const buffer products = multiply(ctx, c, std::move(x), a.a.type(), std::move(y), u.type(), count);
    return in_type_on_device(ctx, sum_rows_on_device(ctx, p.ring.add(), a, c.sums, products.data()), c.value);
}

// The entries of u alone, as a vector without gaps.
vector without_gaps(const context& ctx, const vector& u, const storage::vector_body& listed) {
    vector held(ctx, u.type(), listed.count);
    storage::vector_body& body = held.mutable_body();
    body = storage::make_vector_body(ctx, u.type(), static_cast<index_t>(listed.count), vector_form::dense,
                                     listed.count);
    std::memcpy(body.values.data(), listed.values.data(), body.values.bytes());
    return held;
}

constexpr offset_t most_products = std::numeric_limits<index_t>::max();

vector product_of(const mxv_product& p, const composed_on_device& c) {
    const context& ctx = p.ctx;
    const operand a{p.a, p.transposed};
    const auto nothing = [&] { return vector(ctx, c.value, p.output_size()); };
    if (p.u.count() == 0 || p.a.nnz() == 0) return nothing();
    if (p.u.form() == vector_form::dense) return product_with(p, c, a, p.u);
    const storage::vector_body listed = storage::convert(p.u.body(), vector_form::sparse);
    const index_list names(std::span(listed.index_data(), static_cast<std::size_t>(listed.count)));
    const auto met = moved_where_it_fits(ctx, ctx, a, line_sources::listed(ctx, index_list::all(), a.rows()),
                                         line_sources::listed(ctx, names, a.columns()));
    if (!met) fail<out_of_memory>("no room on the GPU for the columns that u names");
    if (met->nnz() == 0) return nothing();
    return product_with(p, c, {*met}, without_gaps(ctx, p.u, listed));
}

}  // namespace

std::optional<mxv_plan> mxv_composed_on_device(const mxv_product& p) {
    const auto c = compose(p.ctx, p.ring, p.a.type(), p.u.type());
    if (!c || p.a.nnz() > most_products) return {};
    const device::arrivals arrived(p.ctx);
    auto t = if_it_fits<vector>([&] { return product_of(p, *c); });
    if (!t) return {};
    mxv_plan plan;
    plan.kernel = "composed";
    plan.tier = tier::generic;
    plan.reads_transpose = p.transposed;
    plan.input = p.u.form();
    plan.output = t->form();
    plan.determinism = p.options.determinism;
    plan.on_device = true;
    plan.moved_bytes = arrived.bytes();
    plan.reason = "not compiled as a whole: operands gathered, multiplied and summed one after the other";
    p.ctx.log(to_string(plan));
    write_back_from_device(p.ctx, p.w, std::move(*t), p.options);
    return plan;
}

namespace {

std::optional<matrix> product_of(const product& p, const context& own, const composed_on_device& c,
                                 offset_t& products) {
    const context& ctx = p.ctx;
    matrix places(ctx, dtype::boolean, p.left.rows(), p.right.columns());
    matrix_options options;
    options.transpose_a = p.options.transpose_a;
    options.transpose_b = p.options.transpose_b;
    const mxm_plan plan = mxm(ctx, places, semiring(binary_id::any, binary_id::pair, dtype::boolean),
                              p.left.a, p.right.a, options);
    products = plan.products;
    if (!places.on_device() || products < 0 || products > most_products) return {};
    if (places.nnz() == 0) return matrix(own, c.value, p.left.rows(), p.right.columns());
    const auto rows_of = [&](const operand& x) {
        const storage::matrix_body& body = x.a.body();
        return storage::rows_of(x.transposed ? body.columns_anywhere(ctx) : body.rows_anywhere(),
                                x.transposed ? *body.columns_on(ctx) : *body.entries_on(ctx));
    };
    const storage::product_list list =
        storage::list_products(ctx, rows_of(p.left), rows_of(p.right), rows_of({places}));
    std::vector<std::shared_ptr<const void>> kept;
    const auto operands = [&](const operand& of, bool ignored, bool second) {
        side x;
        if (ignored) return x;
        x = values_of(ctx, of, kept);
        if (x.step == 0) return x;
        x.own = storage::values_of_products(ctx, list, second, x.values, size_of(of.a.type()));
        x.values = x.own.data();
        return x;
    };
    const buffer all = multiply(ctx, c, operands(p.left, p.ring.ignores_a(), false), p.left.a.type(),
                                operands(p.right, p.ring.ignores_b(), true), p.right.a.type(), list.products);
    side sums;
    sums.own = sum_lists_on_device(ctx, p.ring.add(), c.sums, list, places.nnz(), all.data());
    sums.values = sums.own.data();
    convert(ctx, sums, c.sums, c.value, places.nnz());
    storage::csr shape = places.body().rows_anywhere().shape(c.value);
    shape.kind = value_kind::full;
    return storage::make_device_matrix(own, ctx, shape, places.body().entries_on(ctx), std::move(sums.own));
}

}  // namespace

std::optional<device_product> mxm_composed_on_device(const product& p, const context& own) {
    const auto c = compose(p.ctx, p.ring, p.left.a.type(), p.right.a.type());
    if (!c) return {};
    offset_t products = 0;
    auto t = if_it_fits<std::optional<matrix>>([&] { return product_of(p, own, *c, products); });
    if (!t || !*t) return {};
    mxm_plan plan;
    plan.operation = "mxm";
    plan.kernel = "composed";
    plan.tier = tier::generic;
    plan.products = products;
    plan.on_device = true;
    plan.reason = "not compiled as a whole: products listed by place, formed and summed one after the other";
    return device_product{plan, std::move(**t)};
}

}  // namespace nz::ops
