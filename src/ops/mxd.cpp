// mxd: check, collect facts, plan, run, write back.
#include "plan/mxd.hpp"

#include "algebra/bound.hpp"
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "instantiate/dense_cells.hpp"
#include "kernels/cpu/schedule/rows.hpp"
#include "kernels/reference/mxd.hpp"
#include "ops/checks.hpp"
#include "ops/dense.hpp"
#include "plan/mxd_workspace.hpp"

#include <optional>

namespace nz {
namespace {

using storage::csr;
using storage::dense;

struct product {
    const context& ctx;
    const semiring& ring;
    ops::operand left;
    dense b, c;
    const dense_options& options;
    dtype operand, value;
    const instantiate::dense_cell* cell;  // null: not compiled

    const csr& a() const { return left.entries(); }
};

product make_product(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
                     const dense_input& b, const dense_options& options) {
    const dense right = ops::checked("mxd", "B", b, options.transpose_b),
                result = ops::checked("mxd", "C", c, false);
    const dtype operand = s.operand_type(a.type(), b.type), value = s.value_type(a.type(), b.type);
    const auto* cell = s.add().is_built_in()
                           ? instantiate::find_dense_cell(s.add().id(), s.multiply().id(), operand)
                           : nullptr;
    if (cell && cell->value != value) cell = nullptr;
    return {ctx, s, {a, options.transpose_a}, right, result, options, operand, value, cell};
}

void check(const product& p) {
    const offset_t rows = p.left.rows(), inner = p.left.columns();
    require<dimension_mismatch>(inner == p.b.rows,
                                "mxd: {}, {}: the columns of the first must equal the rows of the second",
                                p.left.describe("A"), ops::describe("B", p.b));
    require<dimension_mismatch>(p.c.rows == rows && p.c.columns == p.b.columns,
                                "mxd: {}, but the result is {} x {} since {}, {}", ops::describe("C", p.c),
                                rows, p.b.columns, p.left.describe("A"), ops::describe("B", p.b));
    require<not_supported>(!p.options.mask_structure && !p.options.replace,
                           "mxd writes every place of C: a mask is for mxm or sddmm");
    ops::check_dense_kernel("mxd", p.options.kernel, p.cell != nullptr, p.ring, p.operand);
    ops::check_apart("mxd", "C", p.c, "B", p.b.data, ops::extent(p.b));
    const csr& a = p.left.a.body().rows_as_given();
    for (const buffer* array : {&a.offsets, &a.indices, &a.values})
        ops::check_apart("mxd", "C", p.c, "A", array->data(), array->bytes());
}

kernels::offset_reader offsets_of(const csr& a) { return {a.offsets.data(), a.offset_bytes == 8}; }

// How far the fullest thread is above an even share when rows are shared out whole.
double whole_rows_share(const csr& a, int threads) {
    const kernels::offset_reader offsets = offsets_of(a);
    offset_t most = 0;
    for (int t = 0; t < threads; ++t) {
        const index_t first = kernels::cpu::first_row(offsets, a.rows, t, threads),
                      last = kernels::cpu::first_row(offsets, a.rows, t + 1, threads);
        most = std::max(most, offsets[last] - offsets[first] + last - first);
    }
    const offset_t all = a.nnz + a.rows;
    return all ? static_cast<double>(most) * threads / static_cast<double>(all) : 1;
}

plan::mxd_facts facts_of(const product& p) {
    plan::mxd_facts f;
    f.transposed = p.left.transposed;
    f.transpose_ready = !f.transposed || p.left.a.body().has_columns();
    const csr& a = p.a();
    f.rows = a.rows;
    f.inner = a.columns;
    f.columns = p.b.columns;
    f.nnz = a.nnz;
    f.whole_rows_share = whole_rows_share(a, p.ctx.threads());
    f.b_order = p.b.row_major() ? dense_order::row_major : dense_order::column_major;
    f.compiled = p.cell != nullptr;
    f.convert_matrix = !p.ring.ignores_a() && a.kind == value_kind::full && a.type != p.operand;
    f.convert_b = !p.ring.ignores_b() && p.b.type != p.operand;
    f.convert_c = p.c.type != p.value;
    f.accumulates = p.options.accum.has_value();
    f.adds = f.accumulates && *p.options.accum == p.ring.add().op();
    f.operand_bytes = size_of(p.operand);
    f.value_bytes = size_of(p.value);
    f.threads = p.ctx.threads();
    f.memory_left = ops::memory_left(p.ctx);
    f.pinned = p.options.kernel;
    return f;
}

// Values of the operand type: A's own, converted ones, or one for all.
buffer values_of(const product& p, const csr& a) {
    if (p.ring.ignores_a()) return {};
    if (a.kind == value_kind::full && a.type == p.operand)
        return buffer::borrow(a.values.data(), a.values.bytes());
    if (a.kind == value_kind::full) return storage::convert_array(p.ctx, a.values, a.type, p.operand, a.nnz);
    buffer one(p.ctx.memory(), sizeof(element));
    storage::store(one.data(), p.operand, 0, cast(a.value(0), a.type, p.operand));
    return one;
}

// T = A B of the value type, over C itself where the plan stages nothing; `memory` is the plan's workspace.
void run_compiled(const product& p, const dense_plan& plan, const dense& t, std::byte* memory) {
    const csr& a = p.a();
    const buffer values = values_of(p, a);
    dense b = p.b;
    if (plan.packs_second) {
        b = storage::packed_dense(p.operand, memory, b.rows, b.columns, dense_order::row_major);
        storage::copy_dense(p.ctx, p.b, b);
        memory += plan::dense_copy(b.rows, b.columns, size_of(p.operand));
    }
    kernels::mxd_arguments k;
    k.rows = a.rows;
    k.nnz = a.nnz;
    k.offsets = offsets_of(a);
    k.indices = a.index_data();
    k.values = values.data();
    k.a_step = a.kind == value_kind::full;
    k.columns = b.columns;
    k.b = b.data;
    k.b_row_step = b.row_step;
    k.b_column_step = b.column_step;
    k.c = t.data;
    k.c_row_step = t.row_step;
    k.c_column_step = t.column_step;
    k.accumulates = plan.accumulates;
    k.workspace = memory;
    k.threads = p.ctx.threads();
    p.cell->mxd(plan.kernel)(k);
}

// C = T converted, or accum(C, T) in the rows that have entries.
void write_back(const product& p, const dense& t) {
    if (!p.options.accum) return storage::copy_dense(p.ctx, t, p.c);
    const csr& a = p.a();
    const algebra::bound_binary accum = algebra::bound_binary(*p.options.accum, p.c.type, t.type).valued();
    parallel::for_pieces(
        p.ctx.threads(), t.rows,
        [&](offset_t begin, offset_t end) {
            for (auto i = static_cast<index_t>(begin); i < end; ++i)
                for (index_t j = 0; j < t.columns && a.offset(i) < a.offset(i + offset_t{1}); ++j)
                    p.c.set(i, j, cast(accum(p.c.value(i, j), t.value(i, j)), accum.type(), p.c.type));
        },
        64, 512);
}

}  // namespace

dense_plan mxd(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
               const dense_input& b, const dense_options& options) {
    const product p = make_product(ctx, c, s, a, b, options);
    check(p);
    if (options.accum)
        algebra::bound_binary(*options.accum, p.c.type, p.value).valued();  // throws before any work
    const dense_plan plan = plan::mxd(facts_of(p));
    ctx.log(to_string(plan));
    if (p.c.rows == 0 || p.c.columns == 0) return plan;
    const buffer workspace(ctx.memory(), plan.workspace_bytes);
    auto* memory = workspace.as<std::byte>();
    dense t = p.c;
    if (plan.stages_result) {
        t = storage::packed_dense(p.value, memory, p.c.rows, p.c.columns, dense_order::row_major);
        memory += plan::dense_copy(t.rows, t.columns, size_of(p.value));
    }
    if (plan.tier == tier::generic)
        kernels::reference::mxd(s, p.a(), p.b, t);
    else
        run_compiled(p, plan, t, memory);
    if (plan.stages_result) write_back(p, t);
    return plan;
}

}  // namespace nz
