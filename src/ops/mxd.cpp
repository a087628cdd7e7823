// mxd: check, collect facts, plan, run, write back.
#include "plan/mxd.hpp"

#include "algebra/bound.hpp"
#include "core/checks.hpp"
#include "core/device.hpp"
#include "core/parallel.hpp"
#include "kernels/cpu/schedule/rows.hpp"
#include "kernels/kernel_ids.hpp"
#include "kernels/reference/mxd.hpp"
#include "ops/composed.hpp"
#include "ops/dense_device.hpp"
#include "ops/mxd_device.hpp"
#include "ops/mxd_other.hpp"
#include "plan/mxd_workspace.hpp"

#include <limits>
#include <utility>

namespace nz {
namespace ops {
namespace {

using storage::csr;
using storage::dense;

void check(const mxd_product& p) {
    const offset_t rows = p.left.rows(), inner = p.left.columns();
    require<dimension_mismatch>(inner == p.b.rows,
                                "mxd: {}, {}: the columns of the first must equal the rows of the second",
                                p.left.describe("A"), describe("B", p.b));
    require<dimension_mismatch>(p.c.rows == rows && p.c.columns == p.b.columns,
                                "mxd: {}, but the result is {} x {} since {}, {}", describe("C", p.c), rows,
                                p.b.columns, p.left.describe("A"), describe("B", p.b));
    require<not_supported>(!p.options.mask_structure && !p.options.replace,
                           "mxd writes every place of C: a mask is for mxm or sddmm");
    check_dense_kernel("mxd", p.options.kernel, p.cell != nullptr, p.ring, p.operand_type,
                       p.device_cell != nullptr);
    check_apart("mxd", "C", p.c, "B", p.b.data, extent(p.b));
    const storage::matrix_body& body = p.left.a.body();
    if (p.c_on_device != p.left.a.on_device()) return;  // in two memories, or A's copy there is our own
    if (p.c_on_device) {
        const csr& a = body.rows_anywhere();
        const auto entries = body.entries_on(p.ctx);
        const auto values = body.values_on(p.ctx, a, a.type);
        for (const buffer* array : {&entries->offsets, &entries->indices, &values->values})
            check_apart("mxd", "C", p.c, "A", array->data(), array->bytes());
        return;
    }
    const csr& a = body.rows_as_given();
    for (const buffer* array : {&a.offsets, &a.indices, &a.values})
        check_apart("mxd", "C", p.c, "A", array->data(), array->bytes());
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

plan::mxd_facts facts_of(const mxd_product& p) {
    plan::mxd_facts f;
    f.transposed = p.left.transposed;
    f.transpose_ready = !f.transposed || p.left.a.body().has_columns();
    const csr& a = p.device_cell ? p.a_anywhere() : p.a();
    f.rows = a.rows;
    f.inner = a.columns;
    f.columns = p.b.columns;
    f.nnz = a.nnz;
    f.on_device = p.device_cell != nullptr;
    if (!f.on_device) f.whole_rows_share = whole_rows_share(a, p.ctx.threads());
    if (f.on_device && !f.transposed) {
        const auto sample = p.left.a.body().sampled_rows();
        f.row_deviation = sample.deviation;
        f.column_distance = sample.distance;
        f.column_runs = sample.runs;
        if (f.nnz <= plan::small_entries) f.longest_row = p.left.a.body().longest_row();
    }
    const auto order_of = [&](const dense& d) {
        // Kernels of a GPU take steps of 32 bits in bytes.
        const bool short_steps =
            d.row_step <= std::numeric_limits<unsigned>::max() / static_cast<offset_t>(size_of(d.type));
        const bool by_rows = d.row_major() && (!f.on_device || short_steps);
        return by_rows ? dense_order::row_major : dense_order::column_major;
    };
    f.b_order = order_of(p.b);
    f.c_order = order_of(p.c);
    f.compiled = p.cell != nullptr;
    f.composable = !f.compiled && composed_ring_of(p.ring, p.left.a.type(), p.b.type).has_value();
    f.by_columns = !f.compiled && has_columns(p.ring, p.left.a.type(), p.b.type);
    f.columns_ready = p.ring.ignores_b() || p.b.row_step == 1;
    f.convert_matrix = !p.ring.ignores_a() && a.kind == value_kind::full && a.type != p.operand_type;
    f.convert_b = !p.ring.ignores_b() && p.b.type != p.operand_type;
    f.convert_c = p.c.type != p.value_type;
    f.accumulates = p.options.accum.has_value();
    f.adds = f.accumulates && *p.options.accum == p.ring.add().op();
    f.operand_bytes = size_of(p.operand_type);
    f.value_bytes = size_of(p.value_type);
    f.b_bytes = size_of(p.b.type);
    f.threads = p.ctx.threads();
    f.memory_left = memory_left(p.ctx);
    f.pinned = kernels::static_id("mxd", p.options.kernel);
    return f;
}

// Values of the operand type: A's own, converted ones, or one for all.
buffer values_of(const mxd_product& p, const csr& a) {
    if (p.ring.ignores_a()) return {};
    if (a.kind == value_kind::full && a.type == p.operand_type)
        return buffer::borrow(a.values.data(), a.values.bytes());
    if (a.kind == value_kind::full)
        return storage::convert_array(p.ctx, a.values, a.type, p.operand_type, a.nnz);
    buffer one(p.ctx.memory(), sizeof(element));
    storage::store(one.data(), p.operand_type, 0, cast(a.value(0), a.type, p.operand_type));
    return one;
}

// T = A B of the value type, over C itself where the plan stages nothing; `memory` is the plan's workspace.
// Composed, by columns, or an indirect call a product: rows shared out, or where the reference is pinned on one thread.
void run_generic(const mxd_product& p, dense_plan& plan, const dense& t, std::byte* memory) {
    constexpr offset_t rows_a_turn = 16;
    if (plan.kernel == "composed") {
        dense b = p.b;
        if (plan.packs_second) {
            b = storage::packed_dense(b.type, memory, b.rows, b.columns, dense_order::row_major);
            storage::copy_dense(p.ctx, p.b, b);
        }
        if (mxd_composed(p, b, t)) return;
        plan.packs_second = false;
        go_on_generic(p.ctx, plan);
    }
    if (plan.kernel == "columns") {
        if (mxd_by_columns(p, plan.packs_second ? memory : nullptr, t)) return;
        plan.packs_second = false;
        go_on_generic(p.ctx, plan);
    }
    const csr& a = p.a();
    if (plan.kernel == "reference") return kernels::reference::mxd(p.ring, a, p.b, t, 0, a.rows);
    parallel::for_chunks(p.ctx.threads(), a.rows, rows_a_turn, [&](offset_t first, offset_t last) {
        kernels::reference::mxd(p.ring, a, p.b, t, static_cast<index_t>(first), static_cast<index_t>(last));
    });
}

void run_planned(const mxd_product& p, const dense_plan& plan, const dense& t, std::byte* memory) {
    const csr& a = p.a();
    const buffer values = values_of(p, a);
    dense b = p.b;
    if (plan.packs_second) {
        b = storage::packed_dense(p.operand_type, memory, b.rows, b.columns, dense_order::row_major);
        storage::copy_dense(p.ctx, p.b, b);
        memory += plan::dense_copy(b.rows, b.columns, size_of(p.operand_type));
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

}  // namespace

const instantiate::dense_cell* dense_cell_of(const semiring& s, dtype a, dtype b) {
    if (!s.add().is_built_in() || s.converts_twice(a, b)) return nullptr;
    const auto* cell = instantiate::find_dense_cell(s.add().id(), s.multiply().id(), s.operand_type(a, b));
    return cell && cell->value == s.value_type(a, b) ? cell : nullptr;
}

mxd_product make_mxd_product(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
                             const dense_input& b, const dense_options& options) {
    const dense right = checked("mxd", "B", b, options.transpose_b), result = checked("mxd", "C", c, false);
    const dtype operand = s.operand_type(a.type(), b.type), value = s.value_type(a.type(), b.type);
    const auto* cell = dense_cell_of(s, a.type(), b.type);
    const auto* on_device =
        cell && ctx.gpu() ? instantiate::find_dense_device_cell(s.add().id(), s.multiply().id(), operand)
                          : nullptr;
    mxd_product p{ctx,
                  s,
                  {a, options.transpose_a},
                  right,
                  result,
                  options,
                  operand,
                  value,
                  cell,
                  on_device,
                  lies_there(ctx, right),
                  lies_there(ctx, result)};
    check(p);
    if (options.accum)
        algebra::bound_binary(*options.accum, result.type, value).valued();  // throws before any work
    return p;
}

dense_plan plan_mxd(const mxd_product& p) { return plan::mxd(facts_of(p)); }

void write_back_dense(const mxd_product& p, const dense& t) {
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

namespace {

dense_plan run(const mxd_product& p);

// On the host, for what no kernel of the GPU does where the operands lie.
dense_plan run_at_home(const mxd_product& p) {
    p.ctx.gpu()->wait_for_caller();
    const dense_at_home b(p.ctx, p.b, !p.ring.ignores_b()), c(p.ctx, p.c, p.options.accum.has_value());
    mxd_product home = p;
    home.b = b.here();
    home.c = c.here();
    home.b_on_device = home.c_on_device = false;
    const dense_plan plan = run(home);
    c.send_back();
    return plan;
}

dense some_columns(dense d, offset_t first, index_t count) {
    d.data =
        static_cast<std::byte*>(d.data) + static_cast<std::size_t>(first * d.column_step) * size_of(d.type);
    d.columns = count;
    return d;
}

// Kernels of a GPU step from row to row by 32 bits in bytes: some columns after the other.
dense_plan run_by_panels(const mxd_product& p, index_t panel) {
    dense_plan plan;
    for (offset_t first = 0; first < p.c.columns; first += panel) {
        const auto count = static_cast<index_t>(std::min<offset_t>(panel, p.c.columns - first));
        mxd_product part = p;
        part.b = some_columns(p.b, first, count);
        part.c = some_columns(p.c, first, count);
        const std::size_t moved = std::exchange(plan, run(part)).moved_bytes;
        plan.moved_bytes += moved;
    }
    return plan;
}

dense_plan run(const mxd_product& p) {
    const context& ctx = p.ctx;
    if (!p.cell && p.options.kernel.empty())
        if (const auto plan = mxd_composed_on_device(p)) return *plan;
    dense_plan plan = plan_mxd(p);
    if (p.c.rows == 0 || p.c.columns == 0) {
        ctx.log(to_string(plan));
        return plan;
    }
    if (!plan.on_device && (p.b_on_device || p.c_on_device)) return run_at_home(p);
    constexpr index_t panel = 1 << 28;  // of 8 bytes each
    if (plan.on_device && p.c.columns > 2 * panel - 1) return run_by_panels(p, panel);
    if (plan.on_device) {
        const device::arrivals arrived(ctx);
        if (p.b_on_device || p.c_on_device) ctx.gpu()->wait_for_caller();
        device_mxd product(p, plan);
        plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(plan));
        product.enqueue();
        product.finish();
        return plan;
    }
    ctx.log(to_string(plan));
    const buffer workspace(ctx.memory(), plan.workspace_bytes);
    auto* memory = workspace.as<std::byte>();
    dense t = p.c;
    if (plan.stages_result) {
        t = storage::packed_dense(
            p.value_type, memory, p.c.rows, p.c.columns,
            plan.kernel == "columns" ? dense_order::column_major : dense_order::row_major);
        memory += plan::dense_copy(t.rows, t.columns, size_of(p.value_type));
    }
    if (plan.tier == tier::generic)
        run_generic(p, plan, t, memory);
    else
        run_planned(p, plan, t, memory);
    if (plan.stages_result) write_back_dense(p, t);
    return plan;
}

}  // namespace
}  // namespace ops

dense_plan mxd(const context& ctx, const dense_output& c, const semiring& s, const matrix& a,
               const dense_input& b, const dense_options& options) {
    if (const auto plan = ops::mxd_by_stand_in(ctx, c, s, a, b, options)) return *plan;
    return ops::run(ops::make_mxd_product(ctx, c, s, a, b, options));
}

}  // namespace nz
