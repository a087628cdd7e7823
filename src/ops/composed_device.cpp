// On a GPU: the operands of all products are gathered into two arrays and multiplied by ewise/words, as on the CPU but for the blocks.
// With a vector each entry of A has a product, which changes no sum where u has nothing; reduce/rows sums them, and rows with others are
// any_pair's. Of matrices the places of the sums are any_pair's under the same mask; products are found by place for some rows at a time
// (storage::take_products), and a thread adds those of a place in the order of k.
#include "algebra/bound.hpp"
#include "algebra/stand_in.hpp"
#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/composed.hpp"
#include "ops/if_it_fits.hpp"
#include "ops/mxd_device.hpp"
#include "ops/mxm_parts.hpp"
#include "ops/mxm_pattern_device.hpp"
#include "ops/reduce_device.hpp"
#include "ops/vectors_device.hpp"
#include "storage/device_assemble.hpp"
#include "storage/device_products.hpp"

#include <algorithm>
#include <limits>

namespace nz::ops {
namespace {

// The operators there, and the types that values go through.
struct composed_on_device {
    compiled_on_device multiply;
    dtype operand, value;  // both operands' and a product's
    dtype sums;            // what the monoid takes: that, or what is exact for it
};

std::optional<composed_on_device> compose(const context& ctx, const semiring& s, dtype a, dtype b) {
    if (!ctx.gpu() || !s.add().is_built_in() || s.multiply().positional() || s.converts_twice(a, b))
        return {};
    const algebra::bound_semiring defined(s, a, b);
    composed_on_device c;
    c.operand = s.operand_type(a, b);
    c.multiply = find_compiled_on_device(s.multiply(), c.operand);
    c.value = defined.type();
    c.sums = c.value;
    if (!c.multiply.kernel) return {};
    return c;
}

// The same where rows are summed by reduce/rows.
std::optional<composed_on_device> compose_rows(const context& ctx, const semiring& s, dtype a, dtype b) {
    auto c = compose(ctx, s, a, b);
    if (!c) return {};
    c->sums = algebra::wider_type(s.add().id(), c->value).value_or(c->value);
    if (!sums_rows_on_device(s.add(), c->sums)) return {};
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

// An operand in the type that the kernel takes.
side taken(const context& ctx, const composed_on_device& c, side x, dtype type, offset_t count) {
    convert(ctx, x, type, c.operand, count);
    convert(ctx, x, c.operand, c.multiply.operands, count);
    return x;
}

// So many products, in the type that they are summed in; memory for `room` of them.
buffer multiply(const context& ctx, const composed_on_device& c, const side& x, const side& y, offset_t count,
                offset_t room) {
    const buffer nothing(ctx.device_memory(), sizeof(element));
    side z{buffer(ctx.device_memory(), static_cast<std::size_t>(room) * size_of(c.multiply.result)), nullptr,
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

// What the columns of A's entries name of a vector's values, and in `held` of its presence.
buffer gathered(const context& ctx, const storage::device_csr& entries, offset_t count,
                const kernels::words_side& from, dtype type, bits::word* held = nullptr) {
    buffer values(ctx.device_memory(), static_cast<std::size_t>(count) * size_of(type));
    kernels::places_arguments k;
    k.size = static_cast<index_t>(count);
    k.sources = entries.indices.as<index_t>();
    k.from = from;
    k.value_bytes = size_of(type);
    k.values = values.data();
    k.present = held;
    kernels::on_cuda().places.extract(k, ctx.gpu()->stream());
    return values;
}

// What a sum stays what it is with, bit for bit: NaN gives way to numbers, and 0 + -0 is 0.
element neutral(const monoid& add, dtype type) {
    const bool least_or_greatest = add.id() == binary_id::min || add.id() == binary_id::max;
    if (is_floating(type) && least_or_greatest)
        return scalar(std::numeric_limits<double>::quiet_NaN()).as(type);
    if (is_floating(type) && add.id() == binary_id::plus) return scalar(-0.0).as(type);
    return add.identity(type);
}

// The products at places with a bit, and what changes no sum in those of the others.
void fill_gaps(const context& ctx, const monoid& add, dtype type, const buffer& products,
               const bits::word* held, offset_t count) {
    const buffer rest(ctx.device_memory(), sizeof(element));
    kernels::on_cuda().vectors.fill(rest.data(), type, 1, neutral(add, type), ctx.gpu()->stream());
    kernels::words_arguments k;
    k.a = {products.data(), held, 1};
    k.b = {rest.data(), nullptr, 0};
    k.size = count;
    k.operation = kernels::set_operation::unite;
    k.values = products.data();
    instantiate::find_words_on_device(binary_id::first, type)(k, ctx.gpu()->stream());
}

constexpr offset_t most_products = std::numeric_limits<index_t>::max();

std::optional<vector> product_of(const mxv_product& p, const composed_on_device& c) {
    const context& ctx = p.ctx;
    const operand a{p.a, p.transposed};
    const offset_t count = p.a.nnz();
    if (p.u.count() == 0 || count == 0) return vector(ctx, c.value, p.output_size());
    const bool gaps = p.u.form() != vector_form::dense;
    const storage::matrix_body& body = a.a.body();
    const auto entries = a.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    std::vector<std::shared_ptr<const void>> kept;
    side x, y;
    buffer held(ctx.device_memory(), gaps ? bits::words_for(count) * sizeof(bits::word) : 0);
    if (!p.ring.ignores_a()) x = values_of(ctx, a, kept);
    if (!p.ring.ignores_b() || gaps) {
        const placed_vector u = place_on_device(ctx, p.u.body_anywhere());
        y.own = gathered(ctx, *entries, count, {u.entries.values, gaps ? u.entries.present : nullptr, 1},
                         p.u.type(), held.as<bits::word>());
        if (!p.ring.ignores_b()) y.values = y.own.data();
    }
    const buffer products = multiply(ctx, c, taken(ctx, c, std::move(x), a.a.type(), count),
                                     taken(ctx, c, std::move(y), p.u.type(), count), count, count);
    if (gaps) fill_gaps(ctx, p.ring.add(), c.sums, products, held.as<bits::word>(), count);
    const vector sums =
        in_type_on_device(ctx, sum_rows_on_device(ctx, p.ring.add(), a, c.sums, products.data()), c.value);
    if (!gaps) return sums;
    vector met(ctx, dtype::boolean, p.output_size());  // rows with a product
    mxv(ctx, met, semiring(binary_id::any, binary_id::pair, dtype::boolean), p.a, p.u,
        {.transpose_a = p.transposed});
    return join_words_on_device(ctx, kernels::set_operation::intersect, binary_id::first, sums, met);
}

}  // namespace

std::optional<mxv_plan> mxv_composed_on_device(const mxv_product& p) {
    const auto c = compose_rows(p.ctx, p.ring, p.a.type(), p.u.type());
    if (!c || p.a.nnz() > most_products) return {};
    const device::arrivals arrived(p.ctx);
    const auto made = if_it_fits<std::optional<vector>>([&] { return product_of(p, *c); });
    if (!made || !*made) return {};
    const vector& t = **made;
    mxv_plan plan;
    plan.kernel = "composed";
    plan.tier = tier::generic;
    plan.reads_transpose = p.transposed;
    plan.input = p.u.form();
    plan.output = t.form();
    plan.determinism = p.options.determinism;
    plan.on_device = true;
    plan.moved_bytes = arrived.bytes();
    plan.reason = "not compiled as a whole: operands gathered, multiplied and summed one after the other";
    p.ctx.log(to_string(plan));
    write_back_from_device(p.ctx, p.w, t, p.options);
    return plan;
}

namespace {

// What a product takes while its place is looked for, or both operands and it itself before and after a conversion.
std::size_t bytes_a_product(const product& p, const composed_on_device& c) {
    constexpr std::size_t found = 40, pair = 8;
    return std::max(found, pair + size_of(p.left.a.type()) + size_of(p.right.a.type()) +
                               size_of(c.multiply.result) + size_of(c.value));
}
// Products that are formed together: enough to fill the GPU, as far as a quarter of what is left has room for them.
offset_t at_once(const context& ctx, std::size_t each) {
    constexpr std::size_t most = std::size_t{1} << 25, least = std::size_t{1} << 16;
    return static_cast<offset_t>(std::clamp(device::bytes_left(ctx) / 4 / each, least, most));
}

std::optional<matrix> product_of(const product& p, const context& own, const composed_on_device& c,
                                 mxm_plan& plan) {
    const context& ctx = p.ctx;
    if (p.left.a.nnz() > storage::most_listed || p.right.a.nnz() > storage::most_listed) return {};
    const storage::device_rows left = rows_on_device(ctx, p.left), right = rows_on_device(ctx, p.right);
    plan.products = storage::count_products(ctx, left, right);
    if (plan.products == 0) return matrix(own, c.value, p.left.rows(), p.right.columns());
    const semiring any_pair(binary_id::any, binary_id::pair, dtype::boolean);
    matrix_options options = p.options;
    options.kernel = {};
    const product same = make_product(ctx, any_pair, p.left.a, p.right.a, options);
    const auto done = mxm_on_device(ctx, ctx, factors_of(same), facts_of(same));
    if (!done || !done->result.on_device()) return {};
    const matrix& places = done->result;
    buffer sums(ctx.device_memory(), static_cast<std::size_t>(places.nnz()) * size_of(c.value));
    std::vector<std::shared_ptr<const void>> kept;
    const auto values = [&](const operand& of, bool ignored) {
        return ignored ? side{} : values_of(ctx, of, kept);
    };
    const side x = values(p.left, p.ring.ignores_a()), y = values(p.right, p.ring.ignores_b());
    const auto sum = [&](const storage::placed_products& some) {
        const auto taken_by = [&](const operand& of, const side& all, bool second) {
            side z{{}, all.values, all.step};
            if (z.values && z.step) {
                z.own = storage::values_of_products(ctx, some, second, z.values, size_of(of.a.type()));
                z.values = z.own.data();
            }
            return taken(ctx, c, std::move(z), of.a.type(), some.products);
        };
        const buffer formed = multiply(ctx, c, taken_by(p.left, x, false), taken_by(p.right, y, true),
                                       some.products, some.room);
        storage::sum_places(ctx, p.ring.add().id(), c.value, some.starts, some.places, some.products,
                            formed.data(),
                            sums.as<std::byte>() + static_cast<std::size_t>(some.first) * size_of(c.value));
    };
    const std::size_t each = bytes_a_product(p, c);
    const offset_t together = at_once(ctx, each);
    plan.workspace_bytes = static_cast<std::size_t>(std::min(together, plan.products)) * each;
    if (places.nnz() > 0 && !storage::take_products(ctx, left, right, rows_on_device(ctx, {places}),
                                                    p.options.mask != nullptr, together, sum))
        return {};
    storage::csr shape = places.body().rows_anywhere().shape(c.value);
    shape.kind = value_kind::full;
    return storage::make_device_matrix(own, ctx, shape, places.body().entries_on(ctx), std::move(sums));
}

}  // namespace

std::optional<device_product> mxm_composed_on_device(const product& p, const context& own) {
    const auto c = compose(p.ctx, p.ring, p.left.a.type(), p.right.a.type());
    if (!c || !storage::sums_places(p.ring.add().id(), c->value)) return {};
    mxm_plan plan;
    auto t = if_it_fits<std::optional<matrix>>([&] { return product_of(p, own, *c, plan); });
    if (!t || !*t) return {};
    plan.operation = "mxm";
    plan.kernel = "composed";
    plan.tier = tier::generic;
    plan.on_device = true;
    plan.reason = "not compiled as a whole: products found by place, formed and summed, rows after rows";
    return device_product{plan, std::move(**t)};
}

namespace {

// T = A B by columns, one after the other.
buffer product_of(const mxd_product& p, const composed_on_device& c) {
    const context& ctx = p.ctx;
    const storage::matrix_body& body = p.left.a.body();
    const auto entries = p.left.transposed ? body.columns_on(ctx) : body.entries_on(ctx);
    const offset_t count = p.left.a.nnz(), rows = p.left.rows();
    std::vector<std::shared_ptr<const void>> kept;
    side x;
    if (!p.ring.ignores_a()) x = taken(ctx, c, values_of(ctx, p.left, kept), p.left.a.type(), count);
    buffer there;
    const auto* b = static_cast<const std::byte*>(p.b.data);
    if (!p.b_on_device && !p.ring.ignores_b()) {
        there = buffer(ctx.device_memory(), extent(p.b));
        ctx.gpu()->upload(there.data(), p.b.data, there.bytes());
        b = there.as<const std::byte>();
    }
    const offset_t all = rows * p.b.columns;
    buffer sums(ctx.device_memory(), static_cast<std::size_t>(all) * size_of(c.sums));
    kernels::on_cuda().vectors.fill(
        sums.data(), c.sums, all, cast(p.ring.add().identity(c.value), c.value, c.sums), ctx.gpu()->stream());
    for (offset_t j = 0; count > 0 && j < p.b.columns; ++j) {
        side y;
        if (!p.ring.ignores_b()) {
            const std::size_t column = static_cast<std::size_t>(j * p.b.column_step) * size_of(p.b.type);
            y.own = gathered(ctx, *entries, count, {b + column, nullptr, p.b.row_step}, p.b.type);
            y.values = y.own.data();
            y = taken(ctx, c, std::move(y), p.b.type, count);
        }
        const buffer products = multiply(ctx, c, x, y, count, count);
        write_row_sums_on_device(ctx, p.ring.add(), p.left, c.sums, products.data(), false,
                                 sums.as<std::byte>() + static_cast<std::size_t>(j * rows) * size_of(c.sums));
    }
    if (c.sums == c.value) return sums;
    return storage::converted_on_device(ctx, sums.data(), c.sums, c.value, all);
}

// Whether the host has formed a column's products before a GPU's launches for one are under way and B's has come there.
bool few_entries(const mxd_product& p) {
    constexpr double product = 12, launches = 15000, value = 0.4;  // nanoseconds, reckoned
    return !p.left.a.body().away() && product * static_cast<double>(p.left.a.nnz()) <=
                                          launches + value * static_cast<double>(p.left.columns());
}

}  // namespace

std::optional<dense_plan> mxd_composed_on_device(const mxd_product& p) {
    const auto c = compose_rows(p.ctx, p.ring, p.left.a.type(), p.b.type);
    const offset_t count = p.left.a.nnz();
    const bool at_home = !p.b_on_device && !p.c_on_device;
    if (!c || count > most_products || p.c.columns == 0) return {};
    if (at_home && (count == 0 || few_entries(p))) return {};
    const device::arrivals arrived(p.ctx);
    if (!at_home) p.ctx.gpu()->wait_for_caller();
    const auto sums = if_it_fits<buffer>([&] { return product_of(p, *c); });
    if (!sums) return {};
    dense_plan plan;
    plan.operation = "mxd";
    plan.kernel = "composed";
    plan.tier = tier::generic;
    plan.reads_transpose = p.left.transposed;
    plan.stages_result = true;
    plan.workspace_bytes =
        sums->bytes() + static_cast<std::size_t>(count) * (size_of(p.b.type) + size_of(c->multiply.result));
    plan.on_device = true;
    plan.moved_bytes = arrived.bytes();
    plan.reason = "not compiled as a whole: operands gathered, multiplied and summed, a column at a time";
    p.ctx.log(to_string(plan));
    write_back_dense_from_device(p, storage::packed_dense(p.value_type, sums->data(), p.c.rows, p.c.columns,
                                                          dense_order::column_major));
    return plan;
}

}  // namespace nz::ops
