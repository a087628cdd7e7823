// Whole vectors on a GPU: forms, masks, write-back, and the kernels of ewise, apply and reduce. Results stay there, counted there:
// the host waits once it asks how many entries a bitmap has.
#include "ops/vectors_device.hpp"

#include "algebra/bound.hpp"
#include "algebra/stand_in.hpp"
#include "core/checks.hpp"
#include "core/device.hpp"
#include "instantiate/vector_cells.hpp"
#include "kernels/cuda_table.hpp"
#include "ops/ewise_join.hpp"
#include "ops/write_back.hpp"
#include "storage/device_convert.hpp"
#include "storage/matrix_body.hpp"

namespace nz::ops {

using kernels::device_entries;
using kernels::set_operation;
using kernels::words_side;
using storage::device_vector;
using storage::vector_body;

namespace {

// Accumulators and types for which the device's write-back is compiled.
bool joins_on_device(const vector& w, const vector& t, const vector_options& o) {
    if (w.type() != t.type()) return false;
    if (!o.accum) return true;
    return o.accum->id() <= binary_id::lxnor && o.accum->input_type(t.type()) == t.type();
}

words_side side_of(const device_entries& v) {
    return {v.values, v.form == vector_form::bitmap ? v.present : nullptr, 1};
}

// One operand is fixed: the values of u alone are gone through, whatever u's form.
std::optional<vector> with_fixed(const context& ctx, const binary_op& op, scalar x, bool x_first,
                                 const vector& u) {
    if (!lives_there(ctx, u)) return {};
    const dtype type =
        x_first ? algebra::common_type(op, x.type(), u.type()) : algebra::common_type(op, u.type(), x.type());
    const compiled_on_device c = find_compiled_on_device(op, type);
    if (!c.kernel) return {};
    const vector operand = in_type_on_device(ctx, u, c.operands);
    const vector_body& b = operand.body_anywhere();
    const buffer constant(ctx.device_memory(), sizeof(std::uint64_t));
    kernels::on_cuda().vectors.fill(constant.data(), b.type, 1, x.as(b.type), ctx.gpu()->stream());
    const auto on = b.home->copy_on(ctx, b);
    device_vector out = storage::allocate_on_device(ctx, c.result, b.size, b.form, b.count);
    ctx.gpu()->copy(out.indices.data(), on->indices.data(), out.indices.bytes());
    const device_entries from = entries_of(b, *on);
    kernels::words_arguments k;
    k.a = x_first ? words_side{constant.data(), nullptr, 0} : side_of(from);
    k.b = x_first ? side_of(from) : words_side{constant.data(), nullptr, 0};
    k.size = b.form == vector_form::sparse ? b.count : b.size;
    k.values = out.values.data();
    k.present = b.form == vector_form::bitmap ? out.present.as<bits::word>() : nullptr;
    c.kernel(k, ctx.gpu()->stream());
    return in_type_on_device(
        ctx, storage::make_device_vector(ctx, c.result, b.size, b.form, b.count, std::move(out)), c.type);
}

std::optional<scalar> reduce_values(const context& ctx, const monoid& add, dtype type, const void* values,
                                    const bits::word* present, offset_t size) {
    if (!add.is_built_in()) return {};
    const dtype own = add.value_type(type), in = algebra::wider_type(add.id(), own).value_or(own);
    const auto kernel = instantiate::find_reduce_on_device(add.id(), in);
    if (!kernel) return {};
    const auto blocks = static_cast<std::size_t>(size / kernels::reduce_block + 1);
    const buffer parts(ctx.device_memory(), blocks * (size_of(in) + 1)),
        result(ctx.device_memory(), size_of(in) + 1);
    buffer converted;
    if (in != type) converted = storage::converted_on_device(ctx, values, type, in, size, present);
    kernels::reduce_arguments k;
    k.values = in == type ? values : converted.data();
    k.present = present;
    k.size = size;
    k.parts = parts.data();
    k.result = result.data();
    kernel(k, ctx.gpu()->stream());
    std::byte found[sizeof(std::uint64_t) + 1] = {};
    ctx.gpu()->download(found, result.data(), result.bytes());
    std::uint64_t room = 0;
    std::memcpy(&room, found, size_of(in));
    const bool any = found[size_of(in)] != std::byte{0};
    const element sum = any ? cast(storage::load(&room, in, 0), in, own) : add.identity(own);
    return scalar(type, cast(sum, own, type));
}

}  // namespace

compiled_on_device find_compiled_on_device(const binary_op& op, dtype type) {
    if (op.id() > binary_id::lxnor || op.input_type(type) != type) return {};
    const dtype in = algebra::wider_type(op.id(), type).value_or(type);
    return {instantiate::find_words_on_device(op.id(), in), in, op.output_type(in), op.output_type(type)};
}

device_entries entries_of(const vector_body& v, const device_vector& on) {
    return {v.form,
            v.type,
            v.size,
            v.count,
            on.values.data(),
            on.present.as<const bits::word>(),
            on.indices.as<const index_t>()};
}

vector from_bitmap(const context& ctx, dtype type, index_t size, device_vector content) {
    buffer count(ctx.device_memory(), sizeof(offset_t));
    kernels::on_cuda().vectors.count_bits(content.present.as<const bits::word>(), size, count.as<offset_t>(),
                                          ctx.gpu()->stream());
    return storage::make_uncounted_vector(ctx, type, size, std::move(content), std::move(count));
}

placed_vector place_on_device(const context& ctx, const vector_body& b) {
    placed_vector p{b.home->copy_on(ctx, b), {}, {}};
    p.entries = entries_of(b, *p.on);
    if (b.form != vector_form::sparse) return p;
    p.converted = storage::allocate_on_device(ctx, b.type, b.size, vector_form::bitmap, 0);
    kernels::on_cuda().vectors.to_bitmap(p.entries, p.converted.values.data(),
                                         p.converted.present.as<bits::word>(), ctx.gpu()->stream());
    p.entries.form = vector_form::bitmap;
    p.entries.values = p.converted.values.data();
    p.entries.present = p.converted.present.as<const bits::word>();
    return p;
}

bool lives_there(const context& ctx, const vector& v) {
    return ctx.gpu() && (v.body_anywhere().home->away() || v.body_anywhere().home->held_on(ctx));
}

buffer mask_on_device(const context& ctx, const vector_options& o) {
    if (!o.mask) return {};
    const vector_body& m = o.mask->body_anywhere();
    const auto on = m.home->copy_on(ctx, m);
    buffer words(ctx.device_memory(), bits::words_for(m.size) * sizeof(bits::word));
    kernels::on_cuda().vectors.mask_words(entries_of(m, *on), o.mask_structure, words.as<bits::word>(),
                                          ctx.gpu()->stream());
    return words;
}

vector in_type_on_device(const context& ctx, const vector& t, dtype type) {
    if (t.type() == type) return t;
    const vector_body& b = t.body_anywhere();
    const auto on = b.home->copy_on(ctx, b);
    device_vector made = storage::allocate_on_device(ctx, type, b.size, b.form, b.count);
    made.values = storage::converted_on_device(
        ctx, on->values.data(), b.type, type, b.form == vector_form::sparse ? b.count : offset_t{b.size},
        b.form == vector_form::bitmap ? on->present.as<const bits::word>() : nullptr);
    ctx.gpu()->copy(made.present.data(), on->present.data(), made.present.bytes());
    ctx.gpu()->copy(made.indices.data(), on->indices.data(), made.indices.bytes());
    return storage::make_device_vector(ctx, type, b.size, b.form, b.count, std::move(made));
}

namespace {

// A vector's content once more on the GPU.
device_vector copied(const context& ctx, const vector_body& b) {
    const auto from = b.home->copy_on(ctx, b);
    device_vector own = storage::allocate_on_device(ctx, b.type, b.size, b.form, b.count);
    ctx.gpu()->copy(own.values.data(), from->values.data(), own.values.bytes());
    ctx.gpu()->copy(own.present.data(), from->present.data(), own.present.bytes());
    ctx.gpu()->copy(own.indices.data(), from->indices.data(), own.indices.bytes());
    return own;
}

// w's content on the GPU for somebody who writes to it: w's own where nobody else has it, else a copy. A bitmap's count comes along
// there. w is to be replaced.
std::pair<device_vector, buffer> own_content(const context& ctx, vector& w) {
    const bool taken = !w.is_shared() && w.body_uncounted().home->away_on(ctx);
    const vector_body& b = taken ? w.body_uncounted() : w.body_anywhere();
    buffer count(ctx.device_memory(), b.form == vector_form::bitmap ? sizeof(offset_t) : 0);
    if (count.data() && !b.home->uncounted())
        kernels::on_cuda().vectors.fill(count.data(), dtype::int64, 1, scalar(b.count).bits(),
                                        ctx.gpu()->stream());
    if (taken) {
        auto [content, pending] = b.home->release();
        if (pending.data()) count = std::move(pending);
        return {std::move(content), std::move(count)};
    }
    return {copied(ctx, b), std::move(count)};
}

// Whether few entries join many: then the others are neither read nor written.
bool few_join_many(const vector& w, const vector& t, const vector_options& o) {
    const vector_body &many = w.body_uncounted(), &few = t.body_uncounted();
    return o.accum && !o.mask && !o.mask_complement && few.form == vector_form::sparse &&
           many.form != vector_form::sparse && few.count * bitmap_from_one_in <= few.size;
}

void write_few_on_device(const context& ctx, vector& w, const vector& t, binary_id accum) {
    const vector_body& few = t.body_anywhere();
    const auto from = few.home->copy_on(ctx, few);
    const index_t n = few.size;
    auto [content, count] = own_content(ctx, w);
    kernels::device_write_few c;
    c.t = entries_of(few, *from);
    c.accum = accum;
    c.values = content.values.data();
    c.present = content.present.as<bits::word>();
    c.count = count.as<offset_t>();
    kernels::on_cuda().vectors.write_few(c, ctx.gpu()->stream());
    w = count.data()
            ? storage::make_uncounted_vector(ctx, few.type, n, std::move(content), std::move(count))
            : storage::make_device_vector(ctx, few.type, n, vector_form::dense, n, std::move(content));
}

}  // namespace

void write_back_on_device(const context& ctx, vector& w, vector t, const vector_options& o,
                          const bits::word* mask, bool masked) {
    if (!o.accum || algebra::common_type(*o.accum, w.type(), t.type()) == w.type())
        t = in_type_on_device(ctx, t, w.type());
    if (!joins_on_device(w, t, o)) return write_back(ctx, w, std::move(t.mutable_body()), o);
    const bool all = !o.mask && !o.mask_complement;
    if (!o.accum && (all || (masked && (o.replace || w.count() == 0)))) {
        w = std::move(t);
        return;
    }
    if (few_join_many(w, t, o)) return write_few_on_device(ctx, w, t, o.accum->id());
    const auto n = static_cast<index_t>(w.size());
    const placed_vector old = place_on_device(ctx, w.body_anywhere()),
                        result = place_on_device(ctx, t.body_uncounted());
    device_vector out = storage::allocate_on_device(ctx, w.type(), n, vector_form::bitmap, 0);
    kernels::device_write_back c;
    c.w = old.entries;
    c.t = result.entries;
    c.mask = mask;
    c.complement = o.mask_complement;
    c.replace = o.replace;
    c.accumulates = o.accum.has_value();
    if (o.accum) c.accum = o.accum->id();
    c.out_values = out.values.data();
    c.out_present = out.present.as<bits::word>();
    kernels::on_cuda().vectors.write_back(c, ctx.gpu()->stream());
    const bool full =
        all && (old.entries.form == vector_form::dense || result.entries.form == vector_form::dense);
    if (!full) {
        w = from_bitmap(ctx, w.type(), n, std::move(out));
        return;
    }
    out.present = buffer();  // an accumulator keeps what either has: nobody needs to count
    w = storage::make_device_vector(ctx, w.type(), n, vector_form::dense, n, std::move(out));
}

vector full(const context& ctx, offset_t size, scalar value) {
    if (!ctx.gpu()) return vector::full(ctx, size, value);
    const auto n = static_cast<index_t>(size);
    device_vector made = storage::allocate_on_device(ctx, value.type(), n, vector_form::dense, n);
    kernels::on_cuda().vectors.fill(made.values.data(), value.type(), n, value.bits(), ctx.gpu()->stream());
    return storage::make_device_vector(ctx, value.type(), n, vector_form::dense, n, std::move(made));
}

void* writable_on_device(const context& ctx, vector& w) {
    const vector_body& b = w.body_anywhere();
    if (w.is_shared() || !b.home->away_on(ctx))
        w = storage::make_device_vector(ctx, b.type, b.size, b.form, b.count, copied(ctx, b));
    return w.body_anywhere().home->copy_on(ctx, w.body_anywhere())->values.data();
}

void write_back_from_device(const context& ctx, vector& w, vector t, const vector_options& o) {
    const buffer mask = mask_on_device(ctx, o);
    write_back_on_device(ctx, w, std::move(t), o, mask.as<const bits::word>(), false);
}

void combine_on_device(const context& ctx, double alpha, const vector& t, double beta, vector& y) {
    const auto n = static_cast<index_t>(y.size());
    const placed_vector result = place_on_device(ctx, t.body_uncounted()),
                        old = beta == 0 ? placed_vector{} : place_on_device(ctx, y.body_anywhere());
    device_vector out = storage::allocate_on_device(ctx, y.type(), n, vector_form::dense, n);
    kernels::device_write_back c;
    c.w = old.entries;
    c.t = result.entries;
    c.scales = true;
    c.alpha = alpha;
    c.beta = beta;
    c.out_values = out.values.data();
    kernels::on_cuda().vectors.write_back(c, ctx.gpu()->stream());
    y = storage::make_device_vector(ctx, y.type(), n, vector_form::dense, n, std::move(out));
}

vector same_entries_on_device(const context& ctx, const vector& f, scalar value) {
    const vector_body& b = f.body_anywhere();
    const auto on = b.home->copy_on(ctx, b);
    device_vector made = storage::allocate_on_device(ctx, value.type(), b.size, b.form, b.count);
    const offset_t stored = b.form == vector_form::sparse ? b.count : b.size;
    kernels::on_cuda().vectors.fill(made.values.data(), value.type(), stored, value.bits(),
                                    ctx.gpu()->stream());
    ctx.gpu()->copy(made.present.data(), on->present.data(), made.present.bytes());
    ctx.gpu()->copy(made.indices.data(), on->indices.data(), made.indices.bytes());
    return storage::make_device_vector(ctx, value.type(), b.size, b.form, b.count, std::move(made));
}

std::optional<vector> join_words_on_device(const context& ctx, set_operation operation, const binary_op& op,
                                           const vector& u, const vector& v) {
    if (!lives_there(ctx, u) && !lives_there(ctx, v)) return {};
    const dtype type = joined_type(operation, op, u.type(), v.type());
    const compiled_on_device c = find_compiled_on_device(op, type);
    if (!c.kernel) return {};
    const vector left = in_type_on_device(ctx, u, c.operands), right = in_type_on_device(ctx, v, c.operands);
    const placed_vector a = place_on_device(ctx, left.body_anywhere()),
                        b = place_on_device(ctx, right.body_anywhere());
    const bool a_full = a.entries.form == vector_form::dense, b_full = b.entries.form == vector_form::dense;
    const bool full = operation == set_operation::unite ? a_full || b_full : a_full && b_full;
    const auto n = static_cast<index_t>(u.size());
    device_vector out =
        storage::allocate_on_device(ctx, c.result, n, full ? vector_form::dense : vector_form::bitmap, n);
    kernels::words_arguments k;
    k.a = side_of(a.entries);
    k.b = side_of(b.entries);
    k.size = n;
    k.operation = operation;
    k.values = out.values.data();
    k.present = out.present.as<bits::word>();
    c.kernel(k, ctx.gpu()->stream());
    vector t = full ? storage::make_device_vector(ctx, c.result, n, vector_form::dense, n, std::move(out))
                    : from_bitmap(ctx, c.result, n, std::move(out));
    return in_type_on_device(ctx, t, c.type);
}

std::optional<vector> apply_words_on_device(const context& ctx, const binary_op& op, scalar x,
                                            const vector& u) {
    return with_fixed(ctx, op, x, true, u);
}
std::optional<vector> apply_words_on_device(const context& ctx, const binary_op& op, const vector& u,
                                            scalar x) {
    return with_fixed(ctx, op, x, false, u);
}

std::optional<vector> apply_words_on_device(const context& ctx, const unary_op& f, const vector& u) {
    if (!lives_there(ctx, u) || f.id() == unary_id::user || f.input_type(u.type()) != u.type()) return {};
    const auto in = algebra::wider_type(f.id(), u.type());
    const auto kernel = instantiate::find_apply_on_device(f.id(), in.value_or(u.type()));
    if (kernel && in)
        return in_type_on_device(ctx, *apply_words_on_device(ctx, f, in_type_on_device(ctx, u, *in)),
                                 u.type());
    const vector_body& b = u.body_anywhere();
    if (!kernel && algebra::keeps_values(f.id(), b.type))
        return storage::make_device_vector(ctx, b.type, b.size, b.form, b.count, copied(ctx, b));
    if (!kernel) return {};
    const auto on = b.home->copy_on(ctx, b);
    device_vector out = storage::allocate_on_device(ctx, b.type, b.size, b.form, b.count);
    ctx.gpu()->copy(out.indices.data(), on->indices.data(), out.indices.bytes());
    ctx.gpu()->copy(out.present.data(), on->present.data(), out.present.bytes());
    kernels::apply_arguments k;
    k.from = on->values.data();
    k.present = b.form == vector_form::bitmap ? on->present.as<bits::word>() : nullptr;
    k.size = b.form == vector_form::sparse ? b.count : b.size;
    k.to = out.values.data();
    kernel(k, ctx.gpu()->stream());
    return storage::make_device_vector(ctx, b.type, b.size, b.form, b.count, std::move(out));
}

std::optional<scalar> reduce_blocks_on_device(const context& ctx, const monoid& add, const vector& u) {
    if (!lives_there(ctx, u)) return {};
    const vector_body& b = u.body_anywhere();
    const auto on = b.home->copy_on(ctx, b);
    return reduce_values(ctx, add, b.type, on->values.data(),
                         b.form == vector_form::bitmap ? on->present.as<bits::word>() : nullptr,
                         b.form == vector_form::sparse ? b.count : b.size);
}

std::optional<scalar> reduce_blocks_on_device(const context& ctx, const monoid& add, const matrix& a) {
    if (!ctx.gpu() || !a.body().away()) return {};
    const storage::csr& rows = a.body().rows_anywhere();
    if (rows.kind != value_kind::full) return {};
    const auto values = a.body().values_on(ctx, rows, rows.type);
    return reduce_values(ctx, add, rows.type, values->values.data(), nullptr, rows.nnz);
}

}  // namespace nz::ops
