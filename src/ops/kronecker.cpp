#include "kernels/reference/kronecker.hpp"

#include "core/device.hpp"
#include "kernels/cpu/kronecker/rows.hpp"
#include "ops/checks.hpp"
#include "ops/kronecker_device.hpp"
#include "ops/write_back.hpp"
#include "plan/assign.hpp"

namespace nz {
namespace {

constexpr operation_plan reference_plan{"kronecker", "reference", tier::generic,
                                        "block by block, one thread"};
constexpr operation_plan kronecker_rows_plan{"kronecker", "rows", tier::generic,
                                             "rows shared out, an indirect call an entry"};
constexpr operation_plan rows_on_gpu{"kronecker", "rows", tier::compiled, "tiles of entries shared out"};

storage::csr kronecker_rows(const context& ctx, const binary_op& op, const storage::csr& a,
                            const storage::csr& b) {
    const algebra::bound_binary f(op, a.type, b.type);
    storage::csr t = storage::allocate_csr(ctx, f.type(), value_kind::full, a.rows * b.rows,
                                           a.columns * b.columns, a.nnz * b.nnz);
    kernels::kronecker_arguments k;
    k.a = kernels::csr_entries(a);
    k.b = kernels::csr_entries(b);
    k.b_columns = b.columns;
    k.b_entries = b.nnz;
    k.op = &f;
    k.threads = ctx.threads();
    k.out_offsets = t.offsets.data();
    k.wide = t.offset_bytes == 8;
    k.out_columns = t.indices.as<index_t>();
    k.out_values = t.values.data();
    kernels::cpu::kronecker_rows(k);
    return t;
}

}  // namespace

operation_plan kronecker(const context& ctx, matrix& c, const binary_op& op, const matrix& a, const matrix& b,
                         const matrix_options& options) {
    const ops::operand left{a, options.transpose_a}, right{b, options.transpose_b};
    ops::check_output("kronecker", c, left.rows() * right.rows(), left.columns() * right.columns(),
                      left.describe("A") + " and " + right.describe("B"));
    ops::check_mask("kronecker", c, options);
    ops::check_kernel("kronecker", options.kernel);
    if (options.kernel == "reference") {
        ops::write_back(ctx, c, kernels::reference::kronecker(ctx, op, left.entries(), right.entries()),
                        options);
        return reference_plan;
    }
    const device::arrivals arrived(ctx);
    if (auto t = ops::kronecker_on_device(ctx, c.body().ctx, op, left, right)) {
        ops::write_back_from_device(ctx, c, std::move(*t), options);
        return plan::on_gpu(rows_on_gpu, arrived.bytes());
    }
    ops::write_back(ctx, c, kronecker_rows(ctx, op, left.entries(), right.entries()), options);
    return kronecker_rows_plan;
}

}  // namespace nz
