// sddmm: check, collect facts, plan, run, write back.
#include "kernels/reference/sddmm.hpp"

#include "algebra/bound.hpp"
#include "core/checks.hpp"
#include "core/device.hpp"
#include "instantiate/dense_cells.hpp"
#include "kernels/kernel_ids.hpp"
#include "ops/checks.hpp"
#include "ops/dense.hpp"
#include "ops/dense_device.hpp"
#include "ops/masks.hpp"
#include "ops/sddmm_device.hpp"
#include "ops/write_back.hpp"
#include "plan/mxd.hpp"
#include "plan/mxd_workspace.hpp"

#include <cstring>
#include <optional>

namespace nz {
namespace {

using storage::csr;
using storage::dense;

struct sampled {
    const context& ctx;
    const semiring& ring;
    dense x, y;
    const dense_options& options;
    dtype operand, value;
    const instantiate::dense_cell* cell;  // null: not compiled
};

sampled make_sampled(const context& ctx, const semiring& s, const dense_input& x, const dense_input& y,
                     const dense_options& options) {
    const dtype operand = s.operand_type(x.type, y.type), value = s.value_type(x.type, y.type);
    const auto* cell = s.add().is_built_in() && !s.converts_twice(x.type, y.type)
                           ? instantiate::find_dense_cell(s.add().id(), s.multiply().id(), operand)
                           : nullptr;
    if (cell && cell->value != value) cell = nullptr;
    return {ctx,
            s,
            ops::checked("sddmm", "X", x, options.transpose_a),
            ops::checked("sddmm", "Y", y, options.transpose_b),
            options,
            operand,
            value,
            cell};
}

void check(const sampled& p, const matrix& c, const matrix& m) {
    require<dimension_mismatch>(p.x.columns == p.y.rows,
                                "sddmm: {}, {}: the columns of the first must equal the rows of the second",
                                ops::describe("X", p.x), ops::describe("Y", p.y));
    ops::check_output("sddmm", c, p.x.rows, p.y.columns,
                      ops::describe("X", p.x) + " and " + ops::describe("Y", p.y));
    ops::check_mask("sddmm", c, {.mask = &m});
    ops::check_dense_kernel("sddmm", p.options.kernel, p.cell != nullptr, p.ring, p.operand);
    if (p.options.accum) algebra::bound_binary(*p.options.accum, c.type(), p.value).valued();
}

// What copies of the operands may take: what is left where the product is formed, without the result and what is brought there.
std::size_t left_beside_result(const sampled& p, offset_t places, bool on_device) {
    const auto n = static_cast<std::size_t>(places);
    std::size_t left = ops::memory_left(p.ctx),
                taken = n * (sizeof(index_t) + size_of(p.value)) +
                        (static_cast<std::size_t>(p.x.rows) + 1) * sizeof(offset_t);
    if (on_device) {
        left = device::bytes_left(p.ctx);
        for (const dense* d : {&p.x, &p.y})
            if (!p.ctx.gpu()->holds(d->data)) taken += ops::extent(*d);
    }
    return left - std::min(left, taken);
}

plan::sddmm_facts facts_of(const sampled& p, offset_t places) {
    plan::sddmm_facts f;
    f.rows = p.x.rows;
    f.inner = p.x.columns;
    f.columns = p.y.columns;
    f.places = places;
    f.x_by_rows = p.x.column_step == 1;
    f.y_by_columns = p.y.row_step == 1;
    f.compiled = p.cell != nullptr;
    f.on_device = p.cell && ops::sddmm_compiled_on_device(p.ctx, p.ring, p.operand);
    f.convert_x = !p.ring.ignores_a() && p.x.type != p.operand;
    f.convert_y = !p.ring.ignores_b() && p.y.type != p.operand;
    f.operand_bytes = size_of(p.operand);
    f.memory_left = left_beside_result(p, places, f.on_device);
    f.pinned = kernels::static_id("sddmm", p.options.kernel);
    return f;
}

// `given`, or a copy in the order wanted, in `memory`, which moves on.
dense packed(const sampled& p, const dense& given, bool packs, dense_order order, std::byte*& memory) {
    if (!packs) return given;
    const dense copy = storage::packed_dense(p.operand, memory, given.rows, given.columns, order);
    storage::copy_dense(p.ctx, given, copy);
    memory += plan::dense_copy(copy.rows, copy.columns, size_of(p.operand));
    return copy;
}

csr run_compiled(const sampled& p, const dense_plan& plan, const csr& places) {
    const buffer workspace(p.ctx.memory(), plan.workspace_bytes);
    auto* memory = workspace.as<std::byte>();
    const dense x = packed(p, p.x, plan.packs_first, dense_order::row_major, memory),
                y = packed(p, p.y, plan.packs_second, dense_order::column_major, memory);
    csr t = storage::allocate_csr(p.ctx, p.value, value_kind::full, places.rows, places.columns, places.nnz);
    std::memcpy(t.offsets.data(), places.offsets.data(), t.offsets.bytes());
    if (places.nnz) std::memcpy(t.indices.data(), places.indices.data(), t.indices.bytes());
    kernels::sddmm_arguments k;
    k.rows = places.rows;
    k.nnz = places.nnz;
    k.offsets = {t.offsets.data(), t.offset_bytes == 8};
    k.indices = t.index_data();
    k.inner = x.columns;
    k.x = x.data;
    k.x_row_step = x.row_step;
    k.x_step = x.column_step;
    k.y = y.data;
    k.y_column_step = y.column_step;
    k.y_step = y.row_step;
    k.out_values = t.values.data();
    k.threads = p.ctx.threads();
    p.cell->row_dot(k);
    return t;
}

}  // namespace

dense_plan sddmm(const context& ctx, matrix& c, const semiring& s, const dense_input& x, const dense_input& y,
                 const matrix& m, const dense_options& options) {
    sampled p = make_sampled(ctx, s, x, y, options);
    check(p, c, m);
    // T has no entry outside the mask: where nothing else stays of C, it is the result.
    const matrix_options how{.mask = &m,
                             .mask_structure = options.mask_structure,
                             .replace = options.replace,
                             .accum = options.accum};
    if (dense_plan plan = plan::sddmm(facts_of(p, m.nnz())); plan.on_device && p.x.columns > 0) {
        const device::arrivals arrived(ctx);
        if (ops::lies_there(ctx, p.x) || ops::lies_there(ctx, p.y)) ctx.gpu()->wait_for_caller();
        matrix t = ops::sddmm_on_device(ctx, c.body().ctx,
                                        {s, p.x, p.y, p.operand, p.value, m, options.mask_structure}, plan);
        plan.moved_bytes = arrived.bytes();
        ctx.log(to_string(plan));
        ops::write_back_from_device(ctx, c, std::move(t), how, true);
        return plan;
    }
    if (ops::lies_there(ctx, p.x) || ops::lies_there(ctx, p.y)) ctx.gpu()->wait_for_caller();
    const ops::dense_at_home first(ctx, p.x, !s.ignores_a()), second(ctx, p.y, !s.ignores_b());
    p.x = first.here();
    p.y = second.here();
    const csr& mask = m.body().rows();
    const std::optional<csr> own_places = ops::mask_places(ctx, mask, options.mask_structure);
    const csr& places = own_places ? *own_places : mask;
    plan::sddmm_facts facts = facts_of(p, places.nnz);
    facts.on_device = false;
    const dense_plan plan = plan::sddmm(facts);
    ctx.log(to_string(plan));
    csr t = p.x.columns == 0             ? storage::make_empty_csr(ctx, p.value, places.rows, places.columns)
            : plan.tier == tier::generic ? kernels::reference::sddmm(ctx, s, p.x, p.y, places)
                                         : run_compiled(p, plan, places);
    ops::write_back(ctx, c, std::move(t), how, true);
    return plan;
}

}  // namespace nz
