#include "ops/ewise_join.hpp"

#include "algebra/bound.hpp"
#include "algebra/stand_in.hpp"
#include "instantiate/ewise_cells.hpp"
#include "kernels/cpu/ewise/balanced_path.hpp"
#include "ops/matrix_words.hpp"
#include "ops/vector_words.hpp"
#include "plan/ewise.hpp"

namespace nz::ops {
namespace {

using kernels::ewise_arguments;
using kernels::ewise_side;
using kernels::set_operation;
using storage::csr;
using storage::vector_body;

// Below so many entries a thread is not worth its start.
constexpr offset_t entries_a_thread = 16384;

dtype unsigned_as_wide_as(dtype type) {
    switch (size_of(type)) {
        case 1:
            return dtype::uint8;
        case 2:
            return dtype::uint16;
        case 4:
            return dtype::uint32;
        default:
            return dtype::uint64;
    }
}

// The values of one operand in the kernel's type; converted ones and the one for all are kept here.
struct operand_values {
    buffer own;
    ewise_side side;
};
operand_values side_of(const context& ctx, const csr& a, dtype type) {
    operand_values v{{}, {{a.offsets.data(), a.offset_bytes == 8}, a.index_data(), a.values.data(), 1}};
    if (a.kind != value_kind::full) {
        v.own = buffer(ctx.memory(), sizeof(element));
        storage::store(v.own.data(), type, 0, cast(a.value(0), a.type, type));
        v.side.step = 0;
    } else if (a.type != type) {
        v.own = storage::convert_array(ctx, a.values, a.type, type, a.nnz);
    }
    if (v.own.data()) v.side.values = v.own.data();
    return v;
}

// The threads for so many entries, and what they need between the two passes.
buffer give_workspace(const context& ctx, ewise_arguments& k, offset_t entries) {
    k.threads = static_cast<int>(std::clamp<offset_t>(entries / entries_a_thread, 1, ctx.threads()));
    buffer workspace(ctx.memory(), plan::ewise_path_workspace(k.rows, entries, k.threads));
    k.workspace = workspace.data();
    return workspace;
}

}  // namespace

std::optional<ewise_choice> choose_ewise(set_operation operation, const binary_op& op, dtype a, dtype b) {
    if (operation == set_operation::subtract) return moving_a(a);
    const dtype both = joined_type(operation, op, a, b);
    if (operation == set_operation::exclude) return moving(both);
    if (op.id() > binary_id::lxnor || op.input_type(both) != both || op.output_type(both) != both) return {};
    if (op.id() == binary_id::first || op.id() == binary_id::any) return moving(both);
    const dtype in = algebra::wider_type(op.id(), both).value_or(both);
    return ewise_choice{op.id(), in, in, both};
}

ewise_choice moving(dtype type) { return {binary_id::first, unsigned_as_wide_as(type), type, type}; }
ewise_choice moving_a(dtype type) { return {binary_id::first, unsigned_as_wide_as(type), type, type, false}; }

dtype joined_type(set_operation operation, const binary_op& op, dtype a, dtype b) {
    return operation == set_operation::intersect ? algebra::common_type(op, a, b) : promote(a, b);
}

std::optional<csr> join_values(const context& ctx, set_operation operation, const binary_op& op, const csr& a,
                               const csr& b) {
    if (!computes(operation)) return {};
    const dtype both_type = joined_type(operation, op, a.type, b.type);
    const compiled_words words = find_compiled(op, both_type);
    if (!words.kernel) return {};
    const auto left = join_balanced(ctx, set_operation::intersect, moving_a(a.type), a, b),
               right = join_balanced(ctx, set_operation::intersect, moving_a(b.type), b, a);
    if (!left || !right) return {};
    const auto others = values_as_vector(ctx, *right);
    if (!others) return {};
    auto both = apply_to_values(ctx, *left, [&](const vector_body& x) {
        return join_words(ctx, set_operation::intersect, op, x, *others);
    });
    if (!both || operation == set_operation::intersect) return both;
    auto all = join_balanced(ctx, set_operation::unite, moving(both_type), a, b);
    if (!all) return {};
    if (all->type != words.type) all = storage::convert_values(ctx, *all, words.type);
    return join_balanced(ctx, set_operation::unite, moving(words.type), *both, *all);
}

std::optional<csr> join_balanced(const context& ctx, set_operation operation, const ewise_choice& how,
                                 const csr& a, const csr& b) {
    const auto fill = instantiate::find_ewise_fill(how.op, how.compiled);
    if (!fill) return {};
    constexpr element no_value{};
    const operand_values left = side_of(ctx, a, how.type),
                         right = how.reads_b ? side_of(ctx, b, how.type)
                                             : operand_values{{},
                                                              {{b.offsets.data(), b.offset_bytes == 8},
                                                               b.index_data(),
                                                               &no_value,
                                                               0}};
    ewise_arguments k;
    k.a = left.side;
    k.b = right.side;
    k.rows = a.rows;
    k.width = a.columns;
    k.operation = operation;
    const buffer workspace = give_workspace(ctx, k, a.nnz + b.nnz);
    const offset_t results = kernels::cpu::balanced_path_count(k);
    csr c = storage::allocate_csr(ctx, how.type, value_kind::full, a.rows, a.columns, results);
    k.offsets = c.offsets.data();
    k.wide = c.offset_bytes == 8;
    k.columns = c.indices.as<index_t>();
    k.values = c.values.data();
    fill(k);
    if (how.result != how.type) {
        c.values = storage::convert_array(ctx, c.values, how.type, how.result, results);
        c.type = how.result;
    }
    return c;
}

std::optional<vector_body> join_balanced(const context& ctx, set_operation operation, const ewise_choice& how,
                                         const vector_body& u, const vector_body& v) {
    if (u.form != vector_form::sparse || v.form != vector_form::sparse) return {};
    const auto fill = instantiate::find_ewise_fill(how.op, how.compiled);
    if (!fill) return {};
    if (u.type != how.type || (how.reads_b && v.type != how.type)) {
        auto t = join_balanced(ctx, operation, {how.op, how.compiled, how.type, how.type, how.reads_b},
                               convert_values(u, how.type), convert_values(v, how.type));
        return how.result == how.type ? std::move(t) : std::optional(convert_values(*t, how.result));
    }
    const std::int64_t u_offsets[] = {0, u.count}, v_offsets[] = {0, v.count};
    std::int64_t offsets[2];
    ewise_arguments k;
    k.a = {{u_offsets, true}, u.index_data(), u.values.data(), 1};
    k.b = {{v_offsets, true}, v.index_data(), v.values.data(), 1};
    k.rows = 1;
    k.width = u.size;
    k.operation = operation;
    const buffer workspace = give_workspace(ctx, k, u.count + v.count);
    const offset_t results = kernels::cpu::balanced_path_count(k);
    vector_body w = storage::make_vector_body(ctx, how.type, u.size, vector_form::sparse, results);
    k.offsets = offsets;
    k.wide = true;
    k.columns = w.indices.as<index_t>();
    k.values = w.values.data();
    fill(k);
    return w;
}

}  // namespace nz::ops
