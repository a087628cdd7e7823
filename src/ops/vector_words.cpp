#include "ops/vector_words.hpp"

#include "algebra/bound.hpp"
#include "algebra/stand_in.hpp"
#include "instantiate/vector_cells.hpp"
#include "ops/ewise_join.hpp"
#include "ops/write_back.hpp"

namespace nz::ops {
namespace {

using kernels::set_operation;
using kernels::words_side;
using storage::vector_body;

const bits::word* presence_of(const vector_body& v) {
    return v.form == vector_form::bitmap ? v.words() : nullptr;
}

void run(const context& ctx, const compiled_words& c, set_operation operation, const words_side& a,
         const words_side& b, vector_body& out) {
    kernels::words_arguments k;
    k.a = a;
    k.b = b;
    k.size = out.form == vector_form::sparse ? out.count : out.size;
    k.operation = operation;
    k.threads = ctx.threads();
    k.values = out.values.data();
    k.present = out.form == vector_form::bitmap ? out.words() : nullptr;
    c.kernel(k);
}

// What a kernel gave, in the operator's own type.
vector_body in_type(vector_body w, dtype type) {
    return w.type == type ? std::move(w) : convert_values(w, type);
}

// The values of a dense or bitmap vector at a sparse one's places, whatever is there where it has none.
buffer gather(const context& ctx, const vector_body& from, const vector_body& places) {
    buffer values(ctx.memory(), static_cast<std::size_t>(places.count) * size_of(from.type));
    storage::by_width(size_of(from.type), [&]<class U>(std::type_identity<U>) {
        const U* x = from.values.as<const U>();
        U* to = values.as<U>();
        for (offset_t k = 0; k < places.count; ++k) to[k] = x[places.index_data()[k]];
    });
    return values;
}

// The intersection of a sparse vector and a dense one: at the sparse one's places.
vector_body join_at_places(const context& ctx, const compiled_words& c, const vector_body& u,
                           const vector_body& v) {
    const bool u_sparse = u.form == vector_form::sparse;
    const vector_body& places = u_sparse ? u : v;
    const auto values_of = [&](const vector_body& x) {
        buffer own;
        if (&x != &places) own = gather(ctx, x, places);
        if (x.type != c.operands)
            own = storage::convert_array(ctx, own.data() ? own : x.values, x.type, c.operands, places.count);
        return own;
    };
    const buffer a = values_of(u), b = values_of(v);
    vector_body w = storage::make_vector_body(ctx, c.result, u.size, vector_form::sparse, places.count);
    if (places.count) std::memcpy(w.indices.data(), places.indices.data(), w.indices.bytes());
    run(ctx, c, set_operation::intersect, {a.data() ? a.data() : u.values.data(), nullptr, 1},
        {b.data() ? b.data() : v.values.data(), nullptr, 1}, w);
    return w;
}

// w = op(w, t) at the few places of a sparse t.
void accumulate_places(const context& ctx, const compiled_words& c, vector_body& w, const vector_body& t) {
    const bool gaps = w.form == vector_form::bitmap;
    const buffer old = gather(ctx, w, t);
    vector_body joined = storage::make_vector_body(ctx, t.type, t.size, vector_form::sparse, t.count);
    run(ctx, c, set_operation::intersect, {old.data(), nullptr, 1}, {t.values.data(), nullptr, 1}, joined);
    storage::by_width(size_of(w.type), [&]<class U>(std::type_identity<U>) {
        const U *both = joined.values.as<const U>(), *alone = t.values.as<const U>();
        for (offset_t k = 0; k < t.count; ++k) {
            const index_t i = t.index_data()[k];
            const bool present = !gaps || bits::test(w.words(), i);
            w.values.as<U>()[i] = present ? both[k] : alone[k];
            if (present) continue;
            bits::set(w.words(), i);
            ++w.count;
        }
    });
}

// One operand is fixed: the values of u alone are gone through, whatever u's form.
std::optional<vector_body> with_fixed(const context& ctx, const binary_op& op, scalar x, bool x_first,
                                      const vector_body& u) {
    const compiled_words c = find_compiled(op, x_first ? algebra::common_type(op, x.type(), u.type)
                                                       : algebra::common_type(op, u.type, x.type()));
    if (!c.kernel) return {};
    std::optional<vector_body> converted;
    if (u.type != c.operands) converted = convert_values(u, c.operands);
    const element fixed = x.as(c.operands);
    std::uint64_t room = 0;
    storage::store(&room, c.operands, 0, fixed);
    vector_body w = storage::make_vector_body(ctx, c.result, u.size, u.form, u.count, false);
    const words_side whole{(converted ? *converted : u).values.data(), presence_of(u), 1},
        constant{&room, nullptr, 0};
    if (u.indices.bytes() && u.form == vector_form::sparse)
        std::memcpy(w.indices.data(), u.indices.data(), w.indices.bytes());
    run(ctx, c, set_operation::intersect, x_first ? constant : whole, x_first ? whole : constant, w);
    return in_type(std::move(w), c.type);
}

}  // namespace

binary_op comparison_by(const index_unary_op& op) {
    using enum index_unary_id;
    constexpr binary_id comparisons[] = {binary_id::eq, binary_id::ne, binary_id::lt,
                                         binary_id::le, binary_id::gt, binary_id::ge};
    static_assert(index_unary_id{static_cast<int>(valueeq) + 5} == valuege);
    return comparisons[static_cast<int>(op.id()) - static_cast<int>(valueeq)];
}

compiled_words find_compiled(const binary_op& op, dtype both) {
    if (op.id() > binary_id::lxnor || op.input_type(both) != both) return {};
    const dtype in = algebra::wider_type(op.id(), both).value_or(both);
    return {instantiate::find_words(op.id(), in), in, op.output_type(in), op.output_type(both)};
}

words_operand::words_operand(const vector_body& v, dtype type) {
    if (v.form == vector_form::sparse) own_ = convert(v, vector_form::bitmap);
    if (v.type != type) own_ = convert_values(own_ ? *own_ : v, type);
    const vector_body& at = own_ ? *own_ : v;
    side_ = {at.values.data(), presence_of(at), 1};
}

std::optional<vector_body> join_words(const context& ctx, set_operation operation, const binary_op& op,
                                      const vector_body& u, const vector_body& v) {
    if (u.form == vector_form::sparse && v.form == vector_form::sparse) return {};
    const compiled_words c = find_compiled(op, joined_type(operation, op, u.type, v.type));
    if (!c.kernel) return {};
    if (operation == set_operation::intersect &&
        ((u.form == vector_form::sparse && v.form == vector_form::dense) ||
         (u.form == vector_form::dense && v.form == vector_form::sparse)))
        return in_type(join_at_places(ctx, c, u, v), c.type);
    const words_operand a(u, c.operands), b(v, c.operands);
    const bool full = operation == set_operation::unite ? !a.side().present || !b.side().present
                                                        : !a.side().present && !b.side().present;
    vector_body w = storage::make_vector_body(ctx, c.result, u.size,
                                              full ? vector_form::dense : vector_form::bitmap, u.size, false);
    run(ctx, c, operation, a.side(), b.side(), w);
    if (!full) w.count = bits::count(w.words(), w.size);
    return in_type(std::move(w), c.type);
}

std::optional<vector_body> apply_words(const context& ctx, const binary_op& op, scalar x,
                                       const vector_body& u) {
    return with_fixed(ctx, op, x, true, u);
}
std::optional<vector_body> apply_words(const context& ctx, const binary_op& op, const vector_body& u,
                                       scalar x) {
    return with_fixed(ctx, op, x, false, u);
}

std::optional<vector_body> apply_words(const context& ctx, const unary_op& f, const vector_body& u) {
    if (f.id() == unary_id::user || f.input_type(u.type) != u.type) return {};
    const auto in = algebra::wider_type(f.id(), u.type);
    const auto kernel = instantiate::find_apply(f.id(), in.value_or(u.type));
    if (!kernel && !algebra::keeps_values(f.id(), u.type)) return {};
    if (kernel && in) return in_type(*apply_words(ctx, f, convert_values(u, *in)), u.type);
    vector_body w = storage::make_vector_body(ctx, u.type, u.size, u.form, u.count, false);
    kernels::apply_arguments k;
    k.from = u.values.data();
    k.present = presence_of(u);
    k.size = u.form == vector_form::sparse ? u.count : u.size;
    k.threads = ctx.threads();
    k.to = w.values.data();
    if (kernel)
        kernel(k);
    else if (w.values.bytes())
        std::memcpy(w.values.data(), u.values.data(), w.values.bytes());
    if (w.present.bytes()) std::memcpy(w.present.data(), u.present.data(), w.present.bytes());
    if (w.indices.bytes()) std::memcpy(w.indices.data(), u.indices.data(), w.indices.bytes());
    return w;
}

bool accumulate_words(const context& ctx, const binary_op& op, vector& w, const vector_body& t) {
    if (t.type != w.type()) return false;
    const compiled_words c = find_compiled(op, w.type());
    if (!c.kernel || c.result != w.type()) return false;
    vector_body& v = w.mutable_body();
    if (t.form == vector_form::sparse) {
        accumulate_places(ctx, c, v, t);
        if (v.form == vector_form::bitmap && v.count == v.size) settle(v);
        return true;
    }
    words_side a{v.values.data(), presence_of(v), 1}, b{t.values.data(), presence_of(t), 1};
    run(ctx, c, set_operation::unite, a, b, v);
    if (v.form == vector_form::bitmap) v.count = bits::count(v.words(), v.size);
    settle(v);
    return true;
}

std::optional<scalar> reduce_blocks(const context& ctx, const monoid& add, dtype type, const void* values,
                                    const bits::word* present, offset_t size) {
    if (!add.is_built_in()) return {};
    const dtype own = add.value_type(type), in = algebra::wider_type(add.id(), own).value_or(own);
    const auto kernel = instantiate::find_reduce(add.id(), in);
    if (!kernel) return {};
    buffer converted;
    if (in != type)
        converted = storage::convert_array(
            ctx, buffer::borrow(values, static_cast<std::size_t>(size) * size_of(type)), type, in, size);
    kernels::reduce_arguments k;
    k.values = in == type ? values : converted.data();
    k.present = present;
    k.size = size;
    k.threads = ctx.threads();
    const buffer parts(ctx.memory(),
                       static_cast<std::size_t>(k.size / kernels::reduce_block + 1) * (size_of(in) + 1));
    std::uint64_t room = 0;
    k.parts = parts.data();
    k.result = &room;
    const element sum = kernel(k) ? cast(storage::load(&room, in, 0), in, own) : add.identity(own);
    return scalar(type, cast(sum, own, type));
}
std::optional<scalar> reduce_blocks(const context& ctx, const monoid& add, const vector_body& u) {
    return reduce_blocks(ctx, add, u.type, u.values.data(), presence_of(u),
                         u.form == vector_form::sparse ? u.count : u.size);
}
std::optional<scalar> reduce_blocks(const context& ctx, const monoid& add, const storage::csr& a) {
    if (a.kind != value_kind::full) return {};
    return reduce_blocks(ctx, add, a.type, a.values.data(), nullptr, a.nnz);
}

}  // namespace nz::ops
