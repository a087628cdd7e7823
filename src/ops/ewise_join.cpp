#include "ops/ewise_join.hpp"

#include "algebra/bound.hpp"
#include "instantiate/ewise_cells.hpp"
#include "kernels/cpu/ewise/balanced_path.hpp"
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

struct compiled_join {
    kernels::ewise_kernel fill = nullptr;
    dtype type = dtype::float64;  // of operands and result
};

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

compiled_join find_join(set_operation operation, const binary_op& op, dtype a, dtype b) {
    const auto choice = choose_ewise(operation, op, a, b);
    if (!choice) return {};
    return {instantiate::find_ewise_fill(choice->op, choice->compiled), choice->type};
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
    if (operation == set_operation::subtract)
        return ewise_choice{binary_id::first, unsigned_as_wide_as(a), a};
    // Of a union both have entries in the result.
    const dtype both = operation == set_operation::intersect ? algebra::common_type(op, a, b) : promote(a, b);
    if (operation == set_operation::exclude)
        return ewise_choice{binary_id::first, unsigned_as_wide_as(both), both};
    if (op.id() > binary_id::lxnor || op.input_type(both) != both || op.output_type(both) != both) return {};
    return ewise_choice{op.id(), both, both};
}

std::optional<csr> join_balanced(const context& ctx, set_operation operation, const binary_op& op,
                                 const csr& a, const csr& b) {
    const compiled_join kernel = find_join(operation, op, a.type, b.type);
    if (!kernel.fill) return {};
    // Of B a difference reads no value.
    const operand_values left = side_of(ctx, a, kernel.type),
                         right = operation == set_operation::subtract
                                     ? operand_values{{},
                                                      {{b.offsets.data(), b.offset_bytes == 8},
                                                       b.index_data(),
                                                       nullptr,
                                                       0}}
                                     : side_of(ctx, b, kernel.type);
    ewise_arguments k;
    k.a = left.side;
    k.b = right.side;
    k.rows = a.rows;
    k.width = a.columns;
    k.operation = operation;
    const buffer workspace = give_workspace(ctx, k, a.nnz + b.nnz);
    const offset_t results = kernels::cpu::balanced_path_count(k);
    csr c = storage::allocate_csr(ctx, kernel.type, value_kind::full, a.rows, a.columns, results);
    k.offsets = c.offsets.data();
    k.wide = c.offset_bytes == 8;
    k.columns = c.indices.as<index_t>();
    k.values = c.values.data();
    kernel.fill(k);
    return c;
}

std::optional<vector_body> join_balanced(const context& ctx, set_operation operation, const binary_op& op,
                                         const vector_body& u, const vector_body& v) {
    if (u.form != vector_form::sparse || v.form != vector_form::sparse) return {};
    const compiled_join kernel = find_join(operation, op, u.type, v.type);
    if (!kernel.fill || u.type != kernel.type || v.type != kernel.type) return {};
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
    vector_body w = storage::make_vector_body(ctx, kernel.type, u.size, vector_form::sparse, results);
    k.offsets = offsets;
    k.wide = true;
    k.columns = w.indices.as<index_t>();
    k.values = w.values.data();
    kernel.fill(k);
    return w;
}

}  // namespace nz::ops
