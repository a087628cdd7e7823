// mxd on a GPU: operands are brought where they are not, rows of B and C are made to lie side by side, C goes back.
#include "ops/mxd_device.hpp"

#include "core/checks.hpp"
#include "core/device.hpp"
#include "ops/dense_device.hpp"
#include "plan/mxd_workspace.hpp"

namespace nz::ops {

using storage::csr;
using storage::dense;

device_mxd::device_mxd(const mxd_product& p, const dense_plan& plan)
    : p_(p),
      plan_(plan),
      pass_of_its_own_(p.c.type != p.value_type || (p.options.accum && !plan.accumulates)),
      workspace_(p.ctx.device_memory(), plan.workspace_bytes) {
    auto* memory = workspace_.as<std::byte>();
    if (plan.packs_second) {
        b_ = packed_second(memory);
        memory += plan::dense_copy(b_.rows, b_.columns, size_of(p.operand_type));
    } else {
        b_ = place(p.b, b_block_, true);
    }
    take_result(memory);
    k_.common.workspace = memory;
    take_matrix();
}

dense device_mxd::place(const dense& d, buffer& block, bool with_content) const {
    if (p_.ctx.gpu()->holds(d.data)) return d;
    const std::size_t bytes = with_content ? extent(d) : d.bytes();
    block = buffer(p_.ctx.device_memory(), bytes);
    if (!with_content) return without_gaps(d.type, block.data(), d);
    p_.ctx.gpu()->upload(block.data(), d.data, bytes);
    dense there = d;
    there.data = block.data();
    return there;
}

dense device_mxd::packed_second(std::byte* memory) {
    const dense to =
        storage::packed_dense(p_.operand_type, memory, p_.b.rows, p_.b.columns, dense_order::row_major);
    if (p_.b_on_device || p_.b.type == p_.operand_type) {
        copy_dense_on_device(p_.ctx, place(p_.b, b_block_, true), to);
        return to;
    }
    const buffer converted(p_.ctx.memory(), to.bytes());
    storage::copy_dense(p_.ctx, p_.b,
                        storage::packed_dense(p_.operand_type, converted.data(), to.rows, to.columns,
                                              dense_order::row_major));
    p_.ctx.gpu()->upload(to.data, converted.data(), to.bytes());
    return to;
}

void device_mxd::take_result(std::byte*& memory) {
    if (!pass_of_its_own_) c_ = place(p_.c, c_block_, plan_.accumulates);
    t_ = c_;
    if (!plan_.stages_result) return;
    t_ = storage::packed_dense(p_.value_type, memory, p_.c.rows, p_.c.columns, dense_order::row_major);
    memory += plan::dense_copy(t_.rows, t_.columns, size_of(p_.value_type));
    if (plan_.accumulates) copy_dense_on_device(p_.ctx, c_, t_);
}

void device_mxd::take_matrix() {
    const storage::matrix_body& body = p_.left.a.body();
    const csr& a = p_.a_anywhere();
    const auto entries = p_.left.transposed ? body.columns_on(p_.ctx) : body.rows_on(p_.ctx);
    kept_.push_back(entries);
    kernels::mxd_arguments& c = k_.common;
    c.rows = a.rows;
    c.nnz = a.nnz;
    c.offsets = {entries->offsets.data(), a.offset_bytes == 8};
    c.indices = entries->indices.as<index_t>();
    c.a_step = a.kind == value_kind::full;
    if (!p_.ring.ignores_a()) {
        const auto values = body.values_on(p_.ctx, a, p_.operand_type);
        kept_.push_back(values);
        c.values = values->values.data();
    }
    c.columns = b_.columns;
    c.b = b_.data;
    c.b_row_step = b_.row_step;
    c.c = t_.data;
    c.c_row_step = t_.row_step;
    c.accumulates = plan_.accumulates;
    if (plan_.kernel != "csr_merge") return;
    const auto balance = body.balance_on(p_.ctx, a);
    kept_.push_back(balance);
    k_.wide_tiles = plan_.wide_tiles;
    k_.held_rows = balance->held_rows;
    k_.chunk_rows = balance->chunk_rows.as<index_t>();
    k_.row_numbers = balance->row_numbers.as<index_t>();
    k_.held_offsets = c.offsets;
    if (k_.row_numbers) k_.held_offsets.data = balance->held_offsets.data();
}

void device_mxd::enqueue() const { p_.device_cell->mxd(plan_.kernel)(k_, p_.ctx.gpu()->stream()); }

void device_mxd::finish() {
    device::session& session = *p_.ctx.gpu();
    if (pass_of_its_own_) return write_back_dense_from_device(p_, t_);
    if (plan_.stages_result) copy_dense_on_device(p_.ctx, t_, c_);
    if (!c_block_.data()) return session.wait();
    if (extent(p_.c) == p_.c.bytes()) return session.download(p_.c.data, c_.data, p_.c.bytes());
    // What lies between the lines is the caller's, who may be writing there.
    const buffer lines(p_.ctx.memory(), extent(c_));
    session.download(lines.data(), c_.data, extent(c_));
    dense from = c_;
    from.data = lines.data();
    storage::copy_dense(p_.ctx, from, p_.c);
}

void write_back_dense_from_device(const mxd_product& p, const dense& t) {
    if (p.c_on_device && !p.options.accum) {
        copy_dense_on_device(p.ctx, t, p.c);
        return p.ctx.gpu()->wait();
    }
    const dense_at_home sums(p.ctx, t, true), c(p.ctx, p.c, p.options.accum.has_value());
    mxd_product home = p;
    home.c = c.here();
    write_back_dense(home, sums.here());
    c.send_back();
}

std::vector<double> mxd_kernel_ms(const context& ctx, const dense_output& c, const semiring& s,
                                  const matrix& a, const dense_input& b, const dense_options& options,
                                  int repeats) {
    const mxd_product p = make_mxd_product(ctx, c, s, a, b, options);
    const dense_plan plan = plan_mxd(p);
    require<not_supported>(plan.on_device, "this product does not run on a GPU");
    device_mxd product(p, plan);
    std::vector<double> times;
    for (int k = 0; k < repeats; ++k) {
        ctx.gpu()->timed([&] { product.enqueue(); });
        times.push_back(ctx.gpu()->milliseconds());
    }
    product.finish();
    return times;
}

}  // namespace nz::ops
